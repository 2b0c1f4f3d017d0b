import { describe, expect, test } from 'vitest'
import { aSpecRun, block, verdicts } from '../../test/a-spec-run.ts'
import { caseHarnesses } from './cases/index.ts'

const surface =
  'surface_id: s, output_mode: full_file, template_path: /ready.txt, data_sources: [{id: d, source_type: generated_artifact, path: /d.txt}]'

/** A case of each type, with its harness and a subject that contains "ready". */
const own = {
  'api.http': { harness: '', key: 'request: {method: GET, url: /ready.txt}', target: 'body_text' },
  'cli.run': { harness: 'entrypoint: tool, ', key: 'argv: [x]', target: 'stdout' },
  'docs.generate': {
    harness: `docs_generate: {${surface}, mode: check, output_path: /ready.md}, `,
    key: 'title: t',
    target: 'output_text',
  },
  'orchestration.run': {
    harness: 'orchestration: {tool_id: t, capabilities: [c]}, ',
    key: 'title: t',
    target: 'stdout',
  },
  'text.file': { harness: '', key: 'path: ready.txt', target: 'text' },
}

test('every type of case is tried here', () => {
  expect([...caseHarnesses.keys()].sort()).toEqual(Object.keys(own).sort())
})

test('[spec.1.dispatch] a case runs as its type says, and one of an unknown type does not run', async () => {
  const given = (id: string, type: string) =>
    block(`id: ${id}`, `type: ${type}`, 'harness: {entrypoint: tool}')
  const files = {
    'a.spec.md':
      given('CLI', 'cli.run') +
      block('id: FILE', 'type: text.file') +
      given('NONE', 'cli.runs').replace('entrypoint: tool', 'entrypoint: never'),
  }
  const { outcomes, started } = await aSpecRun(files, { script: () => ({}) })
  expect(started.map(({ command }) => command)).toEqual([['tool']])
  expect(outcomes.map(({ outcome }) => outcome?.failure?.message ?? outcome?.status)).toEqual([
    'pass',
    'pass',
    'unknown spec-test type: cli.runs',
  ])
})

describe.each(Object.entries(own))('%s', (type, { harness, key, target }) => {
  const library = block(
    'id: LIB',
    'type: spec_lang.library',
    'definitions: {public: {isReady: {fn: [[x], {contains: [{var: x}, ready]}]}}}',
  )
  const verdict = async (assert: string, specLang = '{}', ...lines: readonly string[]) => {
    const document = block(
      'id: A',
      `type: ${type}`,
      `harness: {${harness}spec_lang: ${specLang}}`,
      key,
      ...lines,
      `assert: [${assert}]`,
    )
    const files = {
      'a.spec.md': document,
      'libs/lib.spec.md': library,
      'ready.txt': 'ready',
      'ready.md': 'ready',
      'd.txt': '',
      'docs/spec/tools/typescript/tools_v1.yaml':
        'version: 1\nimplementation: typescript\ntools: [{tool_id: t, effect_symbol: ops.proc.command.exec, capability_id: c, command: [tool]}]',
      'docs/spec/schema/docs_generator_registry_v1.yaml': `version: 1\nsurfaces: [{${surface}, outputs: [/ready.md]}]`,
    }
    return (await verdicts(files, { script: () => ({ stdout: 'ready' }) })).A
  }
  const evaluated = (expression: string) =>
    `{target: ${target}, must: [{evaluate: [${expression}]}]}`

  test('[spec.1.shared-parts] has the libraries and the budget that its harness names', async () => {
    const expression = evaluated('{call: [{var: isReady}, {var: subject}]}')
    expect(await verdict(expression, '{includes: [libs/lib.spec.md]}')).toBe('pass')
    expect(await verdict(evaluated('{eq: [1, 1]}'), '{max_steps: 1}')).toMatch(
      /^runtime: .*budget exceeded: steps/,
    )
  })

  test('[spec.1.shared-parts] offers its envelope and the exports of its chain', async () => {
    const holds = (subject: string, text: string) =>
      verdict(`{target: ${subject}, must: [{contain: ['${text}']}]}`)
    expect(await holds('context_json', `"profile_id":"${type}/v`)).toBe('pass')
    expect(await holds('chain_json', '{"state":{},"trace":[]}')).toBe('pass')
  })

  test('[spec.1.shared-parts] is judged by its assertions and their health', async () => {
    const group = (kind: string) =>
      `{target: ${target}, ${kind}: [{contain: [ready]}, {contain: [not]}]}`
    expect(await verdict(group('can'))).toBe('pass')
    expect(await verdict(group('must'))).toMatch(/^assertion: \[case_id=A /)
    expect(await verdict(group('cannot'))).toMatch(/^assertion: \[case_id=A /)
    const vain = `{target: ${target}, must: [{contain: [""]}]}`
    expect(await verdict(vain)).toBe('pass')
    expect(await verdict(vain, '{}', 'assert_health: {mode: error}')).toMatch(
      /^assertion: .*health check failed/,
    )
  })
})
