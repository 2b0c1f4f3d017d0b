/** What a `docs.generate` case generates, from what, and where to. */
import { checkKeys, type ShapeProblem } from '../case/check-shape.ts'
import type { CaseValue, Keys } from '../case/key-shape.ts'
import { mappingIn } from '../case/requires.ts'
import type { ContractPath } from '../contract-path.ts'
import { isList } from '../lang/value.ts'
import {
  type DataSource,
  dataSourceKeys,
  dataSources,
  pathOf,
  sourceProblems,
} from './data-source.ts'

export type OutputMode = 'markers' | 'full_file'

export interface DocsSurface {
  readonly surfaceId: string
  readonly mode: 'write' | 'check'
  readonly outputMode: OutputMode
  readonly templatePath: ContractPath
  readonly outputPath: ContractPath
  readonly markerId: string
  readonly sources: readonly DataSource[]
  readonly strict: boolean
}

/** The part that a case and the registry have in common. */
export const renderingKeys: Keys = {
  surface_id: { is: 'name', describe: 'The name of the surface in the registry.', required: true },
  output_mode: {
    is: { oneOf: ['markers', 'full_file'] },
    describe: 'Generate the part between two markers, or the whole file.',
    required: true,
  },
  template_path: { is: 'path', describe: 'The template.', required: true },
  marker_surface_id: {
    is: 'name',
    describe:
      'With markers: the id in `<!-- GENERATED:START id -->` and `<!-- GENERATED:END id -->`.',
  },
  data_sources: {
    is: { list: { mapping: dataSourceKeys }, atLeast: 1 },
    describe: 'The data of the template. The registry must declare the same.',
    required: true,
  },
}

export const docsGenerateKeys: Keys = {
  ...renderingKeys,
  mode: {
    is: { oneOf: ['write', 'check'] },
    describe: 'With write, `spec run --write` writes the output. Every other run only checks it.',
    required: true,
  },
  output_path: {
    is: 'path',
    describe: 'The generated file. The registry must list it under outputs.',
    required: true,
  },
  strict: {
    is: 'flag',
    describe:
      'Fail on a key that the data does not have; default true. Otherwise it prints nothing.',
  },
}

const key = 'harness.docs_generate'

export const surfaceIn = (value: CaseValue): CaseValue =>
  mappingIn(mappingIn(value, 'harness'), 'docs_generate')

/** The case must fit its tables. */
export function docsSurface(value: CaseValue): DocsSurface {
  const given = surfaceIn(value)
  return {
    surfaceId: String(given.get('surface_id')),
    mode: given.get('mode') === 'write' ? 'write' : 'check',
    outputMode: outputModeOf(given),
    templatePath: pathOf(given.get('template_path')),
    outputPath: pathOf(given.get('output_path')),
    markerId: String(given.get('marker_surface_id') ?? ''),
    sources: dataSources(given.get('data_sources')),
    strict: given.get('strict') !== false,
  }
}

export const outputModeOf = (given: CaseValue): OutputMode =>
  given.get('output_mode') === 'markers' ? 'markers' : 'full_file'

export function surfaceProblems(value: CaseValue): readonly ShapeProblem[] {
  const given = surfaceIn(value)
  // The tables report these.
  if (checkKeys(given, docsGenerateKeys, key).length > 0) return []
  const problems = renderingProblems(given, key)
  return problems.length > 0 ? problems : outputProblems(docsSurface(value), given)
}

/** Problems of the keys in `renderingKeys`. */
export function renderingProblems(given: CaseValue, path: string): ShapeProblem[] {
  const sources = given.get('data_sources')
  return [
    ...markerProblems(given, path),
    ...sourceProblems(isList(sources) ? sources : [], joined(path, 'data_sources')),
  ]
}

const joined = (path: string, name: string) => (path === '' ? name : `${path}.${name}`)

/** It must end neither the comment nor the line. */
const markerId = /^[\w.:/-]+$/

function markerProblems(given: CaseValue, path: string): ShapeProblem[] {
  const id = given.get('marker_surface_id')
  if (id === undefined) return given.get('output_mode') === 'markers' ? [missingMarker(path)] : []
  if (typeof id === 'string' && markerId.test(id)) return []
  const at = joined(path, 'marker_surface_id')
  return [
    {
      path: at,
      code: 'case.value',
      message: `${at} must be a word`,
      hint: 'Use letters, digits and the characters _ . : / -',
    },
  ]
}

const missingMarker = (path: string): ShapeProblem => ({
  path,
  code: 'case.missing_key',
  message: `missing required key: ${joined(path, 'marker_surface_id')}`,
  hint: 'Name the markers in the page: <!-- GENERATED:START name --> and <!-- GENERATED:END name -->.',
})

/** The output must be a file of its own, known before anything runs. */
function outputProblems(
  { outputPath, templatePath, sources }: DocsSurface,
  given: CaseValue,
): ShapeProblem[] {
  const path = `${key}.output_path`
  const refused = (why: string, hint: string): ShapeProblem[] => [
    { path, code: 'case.path', message: `${path} ${why}`, hint },
  ]
  if (String(given.get('output_path')).includes('{{')) {
    return refused('must not be a template', 'Write the path itself.')
  }
  if (outputPath === '/') return refused('must name a file', 'Name a page, such as /docs/page.md.')
  if (/^\/\.(?:git|premath)(?:\/|$)/i.test(outputPath)) {
    return refused('must not lie in .git or .premath', 'Name a page, such as /docs/page.md.')
  }
  const inputs = sources.flatMap(one => ('path' in one ? [one.path] : []))
  return [templatePath, ...inputs].includes(outputPath)
    ? refused('is also an input of the surface', 'Name another file.')
    : []
}

/** Files of the case, without the registry. */
export const surfaceFiles = ({ templatePath, outputPath, sources }: DocsSurface) => [
  templatePath,
  outputPath,
  ...sources.flatMap(one => ('path' in one ? [one.path] : [])),
]
