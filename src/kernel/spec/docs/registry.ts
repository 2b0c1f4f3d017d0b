/** The registry of docs surfaces. A case may generate only what it declares. */
import { nearest } from '../../text/nearest.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import type { CaseValue, Keys } from '../case/key-shape.ts'
import type { ContractPath } from '../contract-path.ts'
import type { SpecError } from '../lang/spec-error.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { readRegistry } from '../registry.ts'
import { dataSources, pathOf } from './data-source.ts'
import { type DocsSurface, outputModeOf, renderingKeys, renderingProblems } from './surface.ts'

export const docsRegistryPath: ContractPath = '/docs/spec/schema/docs_generator_registry_v1.yaml'

const paths = { list: 'path' } as const
const texts = { list: 'text' } as const

const surfaceKeys: Keys = {
  ...renderingKeys,
  outputs: {
    is: { ...paths, atLeast: 1 },
    describe: 'The files that the surface generates.',
    required: true,
  },
  source_type: {
    is: { oneOf: ['manifest_yaml', 'registry_yaml', 'code_scan'] },
    describe: 'The kind of the inputs.',
  },
  inputs: { is: paths, describe: 'The files that the data is made from.' },
  generator: { is: 'name', describe: 'The name of the program that makes the data.' },
  check_mode_supported: { is: 'flag', describe: 'Whether the output can be checked.' },
  owner_contract_docs: { is: texts, describe: 'The documents that the surface belongs to.' },
  determinism_hash_fields: { is: texts, describe: 'The parts of the data that never vary.' },
  read_only_sections: { is: texts, describe: 'The pages that nobody edits by hand.' },
}

const registryKeys: Keys = {
  version: { is: { whole: { min: 1, max: 1 } }, describe: 'The version: 1.', required: true },
  surfaces: {
    is: { list: { mapping: surfaceKeys } },
    describe: 'The surfaces.',
    required: true,
  },
}

export interface DocsRegistry {
  readonly byId: ReadonlyMap<string, CaseValue>
}

export function readDocsRegistry(text: string): DocsRegistry | SpecError {
  const value = readRegistry(text, { path: docsRegistryPath, keys: registryKeys, problems })
  if ('category' in value) return value
  return { byId: new Map(surfacesIn(value).map(one => [String(one.get('surface_id')), one])) }
}

const surfacesIn = (value: CaseValue): readonly CaseValue[] => {
  const surfaces = value.get('surfaces')
  return isList(surfaces) ? surfaces.filter(isMapping) : []
}

function problems(value: CaseValue): readonly ShapeProblem[] {
  const first = new Map<SpecValue | undefined, number>()
  return surfacesIn(value).flatMap((surface, index) => {
    const path = `surfaces[${index}]`
    const id = surface.get('surface_id')
    const other = first.get(id)
    first.set(id, other ?? index)
    return [
      ...(other === undefined ? [] : [repeated(`${path}.surface_id`, String(id), other)]),
      ...renderingProblems(surface, path),
    ]
  })
}

const repeated = (path: string, id: string, other: number): ShapeProblem => ({
  path,
  code: 'registry.duplicate',
  message: `${path} repeats ${id} of surfaces[${other}]`,
  hint: 'Rename one of the two surfaces.',
})

/** Why the registry does not allow the case; `undefined` if it does. */
export function undeclared(surface: DocsSurface, { byId }: DocsRegistry): SpecError | undefined {
  const { surfaceId, outputPath } = surface
  const declared = byId.get(surfaceId)
  if (declared === undefined) {
    const meant = nearest(surfaceId, [...byId.keys()])
    return refusal('surface_id', `${docsRegistryPath} declares no surface ${surfaceId}`, {
      hint: meant ? `Did you mean ${meant}?` : 'Add the surface to the registry.',
    })
  }
  const outputs = declared.get('outputs') as readonly SpecValue[]
  if (!outputs.some(one => pathOf(one) === outputPath)) {
    const message = `${docsRegistryPath} does not list ${outputPath} under outputs of ${surfaceId}`
    return refusal('output_path', message)
  }
  const differs = Object.entries(renderingOf(surface)).find(
    ([key, own]) => JSON.stringify(own) !== JSON.stringify(declaredOf(declared)[key]),
  )
  if (differs === undefined) return undefined
  const [key] = differs
  return refusal(key, `${key} differs from that of ${surfaceId} in ${docsRegistryPath}`)
}

const refusal = (
  key: string,
  message: string,
  more: Pick<SpecError, 'hint'> = same,
): SpecError => ({
  category: 'schema',
  message,
  path: `harness.docs_generate.${key}`,
  ...more,
})

const same = { hint: 'Write the same in the case and in the registry.' }

const renderingOf = (
  surface: Pick<DocsSurface, 'outputMode' | 'templatePath' | 'markerId' | 'sources'>,
): Readonly<Record<string, unknown>> => ({
  output_mode: surface.outputMode,
  template_path: surface.templatePath,
  marker_surface_id: surface.outputMode === 'markers' ? surface.markerId : '',
  data_sources: surface.sources,
})

const declaredOf = (declared: CaseValue) =>
  renderingOf({
    outputMode: outputModeOf(declared),
    templatePath: pathOf(declared.get('template_path')),
    markerId: String(declared.get('marker_surface_id') ?? ''),
    sources: dataSources(declared.get('data_sources')),
  })
