import { describe, expect, test } from 'vitest'
import { aSpecRun, block, verdicts } from '../../../test/a-spec-run.ts'

const reading = (path: string, ...assert: readonly string[]) =>
  block('id: A', 'type: text.file', `path: ${path}`, 'assert:', ...assert)
const has = (text: string) => `- {target: text, must: [{contain: ["${text}"]}]}`

describe('text.file', () => {
  test('reads the document it stands in', async () => {
    const document = `# Install\n\n${block('id: A', 'type: text.file', 'assert:', has('# Install'))}`
    expect(await verdicts({ 'a.spec.md': document })).toEqual({ A: 'pass' })
  })

  test.each(['/docs/x.txt', 'docs/x.txt', 'docs/../docs/./x.txt'])(
    '[spec.8.virtual-root] reads %s below the contract root',
    async path => {
      const files = { 'a.spec.md': reading(path, has('ready')), 'docs/x.txt': 'ready' }
      expect(await verdicts(files)).toEqual({ A: 'pass' })
    },
  )

  test('[spec.3.text-file-targets] offers its text and an envelope', async () => {
    const envelope =
      '{"context":{"source_doc":"/a.spec.md"},"meta":{"path":"/x.txt","target":"text"},"profile_id":"text.file/v1","profile_version":1,"value":"ready"}'
    const document = reading(
      'x.txt',
      has('ready'),
      '- target: context_json',
      `  must: [{evaluate: [{eq: [{std.json.stringify: [{var: subject}]}, '${envelope}']}]}]`,
    )
    expect(await verdicts({ 'a.spec.md': document, 'x.txt': 'ready' })).toEqual({ A: 'pass' })
  })

  test('[spec.8.text-file-path] a path with dots or through a link cannot leave the root', async () => {
    expect(await verdicts({ 'a.spec.md': reading('../outside.txt', has('out')) })).toEqual({
      A: 'schema: text.file path escapes contract root',
    })
    const links = { '/r/link.txt': '/outside.txt' }
    expect(await verdicts({ 'a.spec.md': reading('link.txt', has('out')) }, { links })).toEqual({
      A: 'schema: text.file path escapes contract root through a link',
    })
  })

  test('a missing file is a failure of the run', async () => {
    expect(await verdicts({ 'a.spec.md': reading('gone.txt', has('x')) })).toEqual({
      A: 'runtime: cannot read fixture file /gone.txt: there is no file or folder /gone.txt',
    })
  })

  test('a failed assertion is reported with its place', async () => {
    const { outcomes } = await aSpecRun({ 'a.spec.md': reading('x', has('a')), x: 'b' })
    const [first] = outcomes
    expect(first?.outcome).toMatchObject({
      status: 'fail',
      evaluated: 1,
      failure: { category: 'assertion', path: 'assert[0].must[0].contain[0]', target: 'text' },
    })
  })
})

describe('every verdict is the evaluator’s', () => {
  test('mistakes in expressions are found before anything is read', async () => {
    const files = { 'a.spec.md': reading('gone', '- {target: text, must: [{evaluate: [{}]}]}') }
    expect((await verdicts(files)).A).toMatch(/^schema: .*exactly one operator key/)
  })

  test('[spec.4.evaluator] the case sets the budget of the evaluator', async () => {
    const lines = ['id: A', 'type: text.file', 'harness: {spec_lang: {max_steps: 1}}', 'assert:']
    const assert = '- {target: text, must: [{evaluate: [{eq: [1, 1]}]}]}'
    expect((await verdicts({ 'a.spec.md': block(...lines, assert) })).A).toMatch(
      /^runtime: .*budget exceeded: steps/,
    )
  })
})

describe('libraries', () => {
  const library = (id: string, ...lines: readonly string[]) =>
    block(`id: ${id}`, 'type: spec_lang.library', ...lines)
  const using = (specLang: string, expression: string) =>
    block(
      'id: A',
      'type: text.file',
      `harness: {spec_lang: ${specLang}}`,
      `assert: [{target: text, must: [{evaluate: [${expression}]}]}]`,
    )
  const shelf = {
    'libs/top.spec.md': library(
      'TOP',
      'imports: [/libs/base.spec.md]',
      'definitions:',
      '  public: {twice: {fn: [[x], {call: [{var: add_up}, {var: x}, {var: x}]}]}}',
    ),
    'libs/base.spec.md': library(
      'BASE',
      'definitions:',
      '  public: {add_up: {fn: [[a, b], {call: [{var: hidden}, {var: a}, {var: b}]}]}}',
      '  private: {hidden: {fn: [[a, b], {add: [{var: a}, {var: b}]}]}}',
    ),
  }
  const four = '{eq: [{call: [{var: twice}, 2]}, 4]}'

  test('[spec.5.includes] includes are read with their imports', async () => {
    const files = { ...shelf, 'a.spec.md': using('{includes: [libs/top.spec.md]}', four) }
    expect(await verdicts(files)).toEqual({ A: 'pass' })
  })

  test('[spec.3.includes-only] cases of an included document do not run', async () => {
    const inner = block('id: INNER', 'type: cli.run', 'harness: {entrypoint: never}')
    const files = {
      'libs/top.spec.md': `${shelf['libs/base.spec.md']}${inner}`,
      'a.spec.md': using(
        '{includes: [libs/top.spec.md]}',
        '{eq: [{call: [{var: add_up}, 1, 1]}, 2]}',
      ),
    }
    const { outcomes, started } = await aSpecRun(files)
    expect(outcomes.map(({ raw, outcome }) => [raw.id, outcome?.status])).toEqual([['A', 'pass']])
    expect(started).toEqual([])
  })

  test('[spec.5.exports] exports limit the visible names', async () => {
    const specLang = '{includes: [libs/top.spec.md], exports: [add_up]}'
    const verdict = (await verdicts({ ...shelf, 'a.spec.md': using(specLang, four) })).A
    expect(verdict).toMatch(/^schema: .*twice/)
    const hidden = '{includes: [libs/top.spec.md], exports: [hidden]}'
    expect((await verdicts({ ...shelf, 'a.spec.md': using(hidden, 'true') })).A).toBe(
      'schema: spec_lang export is private in the included libraries: hidden',
    )
  })

  test('[spec.5.imports] imports give builtins other names, for the case', async () => {
    const specLang = '{imports: [{from: std.math, names: [add], as: {add: plus}}]}'
    const two = '{eq: [{plus: [1, 1]}, 2]}'
    const without = using('{}', two).replace('id: A', 'id: B')
    const verdict = await verdicts({ 'a.spec.md': using(specLang, two) + without })
    expect(verdict).toEqual({ A: 'pass', B: expect.stringMatching(/^schema: .*plus/) })
  })

  test.each([
    [
      '{includes: [libs/none.spec.md]}',
      'spec_lang library not found: /libs/none.spec.md cannot be read: there is no file or folder /libs/none.spec.md',
    ],
    ['{includes: [external://a/b]}', 'is denied: harness.spec_lang.references.mode is not allow'],
    ['{includes: [libs/bad.spec.md]}', '/libs/bad.spec.md#BAD definitions.public.f:'],
    ['{includes: [libs/link.spec.md]}', 'escapes contract root through a link'],
  ])('%s is an error of the case', async (specLang, words) => {
    const bad = library('BAD', 'definitions: {public: {f: {add: [1, {var: gone}]}}}')
    const files = { 'libs/bad.spec.md': bad, 'a.spec.md': using(specLang, 'true') }
    const links = { '/r/libs/link.spec.md': '/outside.txt' }
    const verdict = (await verdicts(files, { links })).A
    expect(verdict).toMatch(/^schema: /)
    expect(verdict).toContain(words)
  })
})

describe('assert_health', () => {
  const lines = (mode: string) => [
    'id: A',
    'type: text.file',
    ...(mode === '' ? [] : [`assert_health: {mode: ${mode}}`]),
    'assert: [{target: text, must: [{contain: [""]}]}]',
  ]
  const judged = async (mode: string, variable?: string) => {
    const env = variable === undefined ? {} : { SPEC_RUNNER_ASSERT_HEALTH: variable }
    const { outcomes } = await aSpecRun({ 'a.spec.md': block(...lines(mode)) }, { env })
    const outcome = outcomes[0]?.outcome
    return [outcome?.failure?.message ?? outcome?.status, outcome?.warnings.length]
  }
  const failure =
    '[case_id=A] assertion health check failed (1 issue(s)): AH001@assert[0].must[0].contain'

  test.each<[string, string | undefined, unknown[]]>([
    ['', undefined, ['pass', 0]],
    ['warn', undefined, ['pass', 1]],
    ['error', undefined, [failure, 0]],
    ['', 'error', [failure, 0]],
    ['ignore', 'error', ['pass', 0]],
    ['', 'nope', ['SPEC_RUNNER_ASSERT_HEALTH must be one of ignore, warn, error', 0]],
  ])('mode %j with the variable %j', async (mode, variable, want) => {
    expect(await judged(mode, variable)).toEqual(want)
  })
})
