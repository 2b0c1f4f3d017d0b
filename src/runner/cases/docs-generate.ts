import type { Demand } from '../../kernel/spec/assert/demand.ts'
import { envelope } from '../../kernel/spec/assert/subject.ts'
import { withGenerated } from '../../kernel/spec/docs/markers.ts'
import {
  type DocsRegistry,
  docsRegistryPath,
  readDocsRegistry,
  undeclared,
} from '../../kernel/spec/docs/registry.ts'
import { type RenderProblem, renderTemplate } from '../../kernel/spec/docs/render.ts'
import {
  type DocsSurface,
  docsGenerateKeys,
  docsSurface,
  surfaceFiles,
  surfaceProblems,
} from '../../kernel/spec/docs/surface.ts'
import { parseTemplate, type TemplateProblem } from '../../kernel/spec/docs/template.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import { printHunks } from '../../kernel/text/print-hunks.ts'
import { spotIn } from '../../kernel/text/spot.ts'
import { textDiff } from '../../kernel/text/text-diff.ts'
import type { ExecutionContext } from '../execution-context.ts'
import { type CaseHarness, isSpecErrorOf } from './case-harness.ts'
import { contractText } from './contract-text.ts'
import { loadSources } from './data-source.ts'
import { GeneratedFile } from './generated-file.ts'

const key = 'harness.docs_generate'

/** Renders a template over data, and compares the result with a file or writes it there. */
export const docsGenerate: CaseHarness = {
  type: 'docs.generate',
  describe: 'Generates a page, or a part of it, from a template and data, and checks it.',
  keys: {},
  harness: {
    docs_generate: {
      is: { mapping: docsGenerateKeys },
      describe: 'The surface: what is generated, from what, and where to.',
      required: true,
    },
  },
  targets: ['result_json', 'output_text', 'context_json'],
  flaws: surfaceProblems,
  files: value => [docsRegistryPath, ...surfaceFiles(docsSurface(value))],
  locks: value => [`docs.generate ${docsSurface(value).outputPath}`],

  async run({ value }, context) {
    const [problem] = surfaceProblems(value)
    if (problem !== undefined) return { category: 'schema', ...problem }
    const surface = docsSurface(value)
    const refused = await undeclaredIn(surface, context)
    if (refused !== undefined) return refused
    const file = await GeneratedFile.at(surface.outputPath, context)
    if (isSpecErrorOf(file)) return file
    const body = await rendered(surface, context)
    if (isSpecErrorOf(body)) return body
    const current = await file.text()
    if (isSpecErrorOf(current)) return current
    const before = current.text
    const after = pageWith(body.text, before, surface)
    if (typeof after !== 'string') return after
    const mode = surface.mode === 'write' && context.run.writes ? 'write' : 'check'
    const changed = before !== after
    if (changed && mode === 'write') {
      const failure = await file.write(before, after)
      if (failure !== undefined) return failure
    }
    const result = resultOf(surface, mode, changed)
    return {
      byTarget: new Map([
        ['result_json', () => ({ value: result })],
        ['output_text', () => ({ value: after })],
        ['context_json', () => ({ value: contextOf(surface, result, context) })],
      ]),
      demands: mode === 'check' ? [upToDate(surface, before ?? '', after)] : [],
    }
  },
}

async function undeclaredIn(
  surface: DocsSurface,
  context: ExecutionContext,
): Promise<SpecError | undefined> {
  const path = `${key}.surface_id`
  const found = await contractText(docsRegistryPath, context)
  if (!('text' in found)) {
    const why = 'refused' in found ? found.refused : found.unread
    const message = `the docs generator registry cannot be read: ${docsRegistryPath}: ${why}`
    return { category: 'schema', message, path, hint: `Declare the surface there.` }
  }
  const registry: DocsRegistry | SpecError = readDocsRegistry(found.text)
  return 'category' in registry ? { ...registry, path } : undeclared(surface, registry)
}

async function rendered(
  { templatePath, sources, surfaceId, outputMode, strict }: DocsSurface,
  context: ExecutionContext,
): Promise<{ readonly text: string } | SpecError> {
  const path = `${key}.template_path`
  const template = await contractText(templatePath, context)
  if (!('text' in template)) {
    const why = 'refused' in template ? template.refused : template.unread
    return {
      category: 'schema',
      message: `the template cannot be read: ${templatePath}: ${why}`,
      path,
    }
  }
  const failed = (problem: TemplateProblem | RenderProblem): SpecError => {
    const { offset, message, ...more } = problem
    const { line, column } = spotIn(template.text, offset)
    const where = `${templatePath}:${line}:${column}`
    return { category: 'schema', message: `${where}: ${message}`, path, ...more }
  }
  const nodes = parseTemplate(template.text)
  if ('message' in nodes) return failed(nodes)
  const data = await loadSources(sources, context)
  if ('category' in data) return data
  const names = new Map<string, SpecValue>([
    ['sources', data.byId],
    ['surface_id', surfaceId],
    ['output_mode', outputMode],
    ...data.byId,
  ])
  const text = renderTemplate(nodes, names, { strict })
  return typeof text === 'string' ? { text } : failed(text)
}

/** The whole file with the generated text in it. */
function pageWith(
  body: string,
  before: string | undefined,
  { outputMode, outputPath, markerId }: DocsSurface,
): string | SpecError {
  if (outputMode === 'full_file') return body
  const refused = (message: string, hint: string): SpecError => ({
    category: 'schema',
    message: `${outputPath} ${message}`,
    path: `${key}.output_path`,
    hint,
  })
  if (before === undefined) {
    return refused('does not exist', 'Create it, with both markers, or use output_mode: full_file.')
  }
  const page = withGenerated(before, markerId, body)
  return typeof page === 'string' ? page : refused(page.message, page.hint)
}

const diffLimits = { lines: 40, chars: 200 }

function upToDate({ outputPath, mode }: DocsSurface, before: string, after: string): Demand {
  const next = mode === 'write' ? '; premath spec run --write rewrites it' : ''
  const lines = [
    `${outputPath} is not what its template generates${next}`,
    `--- ${outputPath}`,
    '+++ generated',
    ...printHunks(textDiff(before, after), diffLimits),
  ]
  return {
    name: 'output_text',
    path: `${key}.output_path`,
    expected: false,
    actual: before !== after,
    unmet: lines.join('\n'),
  }
}

const resultOf = (
  { surfaceId, outputMode, templatePath, outputPath, sources }: DocsSurface,
  mode: DocsSurface['mode'],
  changed: boolean,
): ReadonlyMap<string, SpecValue> =>
  new Map<string, SpecValue>([
    ['status', 'pass'],
    ['surface_id', surfaceId],
    ['mode', mode],
    ['output_mode', outputMode],
    ['changed', changed],
    ['template_path', templatePath],
    ['output_path', outputPath],
    ['data_source_ids', sources.map(({ id }) => id).sort()],
  ])

function contextOf(
  { surfaceId }: DocsSurface,
  result: ReadonlyMap<string, SpecValue>,
  { caseId }: ExecutionContext,
): SpecValue {
  const contextKeys = ['template_path', 'output_path', 'data_source_ids', 'output_mode', 'changed']
  return envelope({
    profile: 'docs.generate',
    version: 1,
    value: result,
    meta: { target: 'docs.generate', case_id: caseId, surface_id: surfaceId },
    context: Object.fromEntries(contextKeys.map(name => [name, result.get(name) ?? null])),
  })
}
