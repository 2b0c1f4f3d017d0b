import { describe, expect, test } from 'vitest'
import { aSpecRun, block, type SpecRunSetup, verdicts } from '../../test/a-spec-run.ts'
import type { CommandSpec } from '../world/world.ts'

const cli = (id: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: cli.run', ...lines)

/** A case with a chain. `steps` lists its steps in a short form. */
const after = (id: string, harness: string, ...lines: readonly string[]) =>
  cli(id, `harness: {entrypoint: ${id}, ${harness}}`, ...lines)
const chain = (steps: string, more = '') => `chain: {steps: [${steps}]${more}}`
const simple = (id: string) => cli(id, `harness: {entrypoint: ${id}}`)

/** Each command has the name of its case. */
const program = ({ command }: CommandSpec) => command[0] ?? ''

const answering =
  (
    answers: Readonly<Record<string, string>>,
    failing: readonly string[] = [],
  ): NonNullable<SpecRunSetup['script']> =>
  command => ({
    stdout: answers[program(command)] ?? '',
    exitCode: failing.includes(program(command)) ? 1 : 0,
  })

describe('the order', () => {
  test('[spec.3.chain-refs] steps run before the case, each in its turn', async () => {
    const steps = '{id: x, ref: other/b.spec.md}, {id: y, ref: "#LAST"}, {id: z, ref: c.spec.md#C}'
    const files = {
      'a.spec.md': after('HOST', chain(steps)) + simple('LAST'),
      'c.spec.md': simple('C') + simple('D'),
      'other/b.spec.md': simple('B1') + simple('B2'),
    }
    const { started } = await aSpecRun(files, { script: answering({}), jobs: 1 })
    expect(started.map(program)).toEqual(['B1', 'B2', 'LAST', 'C', 'HOST', 'D'])
  })

  test('a prerequisite runs once for all its dependents, even if it is selected itself', async () => {
    const step = '{id: s, ref: "#SEED"}'
    const left = after('LEFT', chain(step))
    const right = after('RIGHT', chain(step))
    const both = after('BOTH', chain('{id: l, ref: "#LEFT"}, {id: r, ref: "#RIGHT"}'))
    for (const jobs of [1, 2, 8]) {
      const { started } = await aSpecRun(
        { 'a.spec.md': both + left + right + simple('SEED') },
        { script: answering({}), jobs },
      )
      expect(started.map(program).sort()).toEqual(['BOTH', 'LEFT', 'RIGHT', 'SEED'])
    }
  })

  test('a mistake in the case itself is found before its chain runs', async () => {
    const broken = after(
      'A',
      chain('{id: s, ref: "#SEED"}'),
      'assert: [{target: stdout, must: [{evaluate: [{}]}]}]',
    )
    const seed = { 'b/seed.spec.md': simple('SEED') }
    const { started } = await aSpecRun({
      ...seed,
      'a.spec.md': broken.replace('#SEED', 'b/seed.spec.md#SEED'),
    })
    expect(started).toEqual([])
  })
})

describe('exports', () => {
  const json = '{"items": [{"id": "i-7"}], "n": null}'
  const seed = block('id: SEED', 'type: text.file', 'path: seed.json')
  const host = (exported: string, ...lines: readonly string[]) => ({
    'seed.json': json,
    'b/seed.spec.md': seed,
    'a.spec.md': after(
      'HOST',
      chain(`{id: s, ref: b/seed.spec.md#SEED, exports: {it: ${exported}}}`),
      ...lines,
    ),
  })

  test('[spec.3.chain-templates] are filled into arguments, input, variables, files and paths', async () => {
    const made = cli(
      'HOST',
      'harness:',
      '  entrypoint: tool',
      '  stdin_text: "in {{chain.s.it}}"',
      '  env: {IT: "{{chain.s.it.value}}"}',
      '  setup_files: {path: "{{chain.s.kind}}.txt", text: "{{chain.s.it.meta.path}}"}',
      '  chain:',
      '    steps:',
      '    - id: s',
      '      ref: b/seed.spec.md#SEED',
      '      exports:',
      '        it: {from_target: context_json}',
      '        kind: {from_target: context_json, path: meta.target}',
      'argv: ["--id={{chain.s.it.profile_version}}"]',
    )
    const texts: string[] = []
    const { started, outcomes } = await aSpecRun(
      { ...host('{from_target: text}'), 'a.spec.md': made },
      {
        script: ({ env }, disk) => ({
          effect: () => {
            const file = disk.contentOf(`${env.SPEC_RUNNER_TMP}/text.txt`)
            texts.push(new TextDecoder().decode(file))
          },
        }),
      },
    )
    expect(outcomes.map(({ outcome }) => outcome?.failure)).toEqual([undefined])
    expect(started[0]?.command).toEqual(['tool', '--id=1'])
    expect(started[0]?.env.IT).toBe(json)
    expect(started[0]?.stdin).toMatch(/^in \{"profile_id":"text.file\/v1"/)
    expect(texts).toEqual(['/seed.json'])
  })

  test('a filled-in path stays in the root', async () => {
    const files = {
      'p.txt': '../../outside.txt',
      'b/p.spec.md': block('id: P', 'type: text.file', 'path: p.txt'),
      'a.spec.md': block(
        'id: A',
        'type: text.file',
        'path: "{{chain.s.p}}"',
        'harness: {chain: {steps: [{id: s, ref: b/p.spec.md#P, exports: {p: {from_target: text}}}]}}',
      ),
    }
    expect(await verdicts(files)).toEqual({ A: 'schema: text.file path escapes contract root' })
  })

  test.each([
    ['{from_target: text, path: items.0}', 'text has no value at items.0'],
    ['{from_target: context_json, path: value.x}', 'context_json has no value at value.x'],
    ['{from_target: stdout}', 'unknown assert target for text.file: stdout'],
  ])('[spec.3.chain-exports] %s is missing, and fails the case', async (exported, why) => {
    const script = answering({})
    expect(await verdicts(host(exported), { script })).toEqual({
      HOST: `schema: chain step s does not export it: ${why}`,
    })
    const optional = exported.replace('}', ', required: false}')
    expect(await verdicts(host(optional), { script })).toEqual({ HOST: 'pass' })
  })

  test.each([
    ['{"rows": [{"id": "b-7"}]}', 'pass'],
    [
      '{"rows": []}',
      'schema: chain step s does not export it: stdout_json has no value at rows.0.id',
    ],
    ['none', 'runtime: chain step s does not export it: stdout is not JSON: '],
  ])(
    '[spec.3.chain-exports] a field of the JSON %s that a command printed is taken',
    async (stdout, verdict) => {
      const exported = '{it: {from_target: stdout_json, path: rows.0.id}}'
      const host = after(
        'HOST',
        chain(`{id: s, ref: "#FIRST", exports: ${exported}}`),
        'argv: ["--id={{chain.s.it}}"]',
      )
      const files = { 'a.spec.md': host + simple('FIRST') }
      const { started } = await aSpecRun(files, { script: answering({ FIRST: stdout }), jobs: 1 })
      const { HOST } = await verdicts(files, { script: answering({ FIRST: stdout }) })
      expect(HOST?.slice(0, verdict.length)).toBe(verdict)
      const args = started.filter(one => program(one) === 'HOST').map(({ command }) => command[1])
      expect(args).toEqual(verdict === 'pass' ? ['--id=b-7'] : [])
    },
  )

  test('a missing optional export cannot be filled in', async () => {
    const files = host(
      '{from_target: context_json, path: gone, required: false}',
      'argv: ["{{chain.s.it}}"]',
    )
    expect((await verdicts(files)).HOST).toMatch(
      /^schema: \{\{chain.s.it\}\}: the chain exports no/,
    )
  })

  test('are read from a temporary folder before it is removed', async () => {
    const made = cli(
      'MADE',
      'harness: {entrypoint: make, cwd: temp, setup_files: {path: out.txt, text: fresh}}',
    )
    const host2 = after(
      'HOST',
      chain('{id: s, ref: "#MADE", exports: {it: {from_target: stdout_path_text}}}'),
      'argv: ["{{chain.s.it}}"]',
    )
    const { started } = await aSpecRun(
      { 'a.spec.md': made + host2 },
      { script: answering({ make: 'out.txt' }) },
    )
    expect(started.map(({ command }) => command)).toEqual([['make'], ['HOST', 'fresh']])
  })
})

describe('chain_json', () => {
  test('has the exports and the runs of this case alone', async () => {
    const want =
      '{"state":{"s":{"it":"one"},"t":{}},"trace":[{"ref_case_id":"SEED","ref_doc_path":"/a.spec.md","status":"pass","step_id":"s"},{"ref_case_id":"BAD","ref_doc_path":"/a.spec.md","status":"fail","step_id":"t"}]}'
    const seen = (text: string) =>
      `assert: [{target: chain_json, must: [{evaluate: [{eq: [{std.json.stringify: [{var: subject}]}, '${text}']}]}]}]`
    const steps =
      '{id: s, ref: "#SEED", exports: {it: {from_target: stdout}}}, {id: t, ref: "#BAD", allow_continue: true}'
    const files = {
      'a.spec.md':
        after('HOST', chain(steps), seen(want)) +
        cli('ALONE', 'harness: {entrypoint: ALONE}', seen('{"state":{},"trace":[]}')) +
        simple('SEED') +
        simple('BAD'),
    }
    expect(await verdicts(files, { script: answering({ SEED: 'one' }, ['BAD']) })).toMatchObject({
      HOST: 'pass',
      ALONE: 'pass',
    })
  })
})

describe('failures', () => {
  const inner = '[case_id=BAD] exit_code expected=0 actual=1'
  const whole = (more: string, step = '') => {
    const steps = `{id: one, ref: "#BAD"${step}}, {id: two, ref: "#GOOD"}`
    return { 'a.spec.md': after('HOST', chain(steps, more)) + simple('BAD') + simple('GOOD') }
  }
  const script = answering({}, ['BAD'])

  test('[spec.3.chain-defaults] the first failure ends the chain, and is reported with its path', async () => {
    expect((await verdicts(whole(''), { script })).HOST).toBe(
      `assertion: chain step one (a.spec.md#BAD) failed: ${inner}`,
    )
    const { started } = await aSpecRun(whole(''), { script, jobs: 1 })
    expect(started.map(program)).toEqual(['BAD', 'GOOD'])
  })

  test.each([
    [', fail_fast: false', ''],
    ['', ', allow_continue: true'],
  ])('[spec.3.chain-defaults] are skipped with%s%s', async (more, step) => {
    const { started, outcomes } = await aSpecRun(whole(more, step), { script, jobs: 1 })
    expect(started.map(program)).toEqual(['BAD', 'GOOD', 'HOST'])
    expect(outcomes[0]?.outcome?.status).toBe('pass')
  })

  test('deep inside are reported with the whole path', async () => {
    const middle = after('MIDDLE', chain('{id: m, ref: "#BAD"}'))
    const host = after('HOST', chain('{id: h, ref: "#MIDDLE"}'))
    expect((await verdicts({ 'a.spec.md': host + middle + simple('BAD') }, { script })).HOST).toBe(
      `assertion: chain step h (a.spec.md#MIDDLE) failed: chain step m (a.spec.md#BAD) failed: ${inner}`,
    )
  })

  test('[spec.3.chain-cycle] [spec.3.chain-reentry] a cycle runs nothing, whatever may be skipped', async () => {
    const one = after('ONE', chain('{id: a, ref: "#TWO", allow_continue: true}'))
    const two = after('TWO', chain('{id: b, ref: "#ONE", allow_continue: true}'))
    const { started, outcomes } = await aSpecRun({ 'a.spec.md': one + two }, { script })
    expect(started).toEqual([])
    expect(outcomes.map(({ outcome }) => outcome?.failure?.category)).toEqual(['schema', 'schema'])
  })
})

test('expressions know the exports and the trace is not among them', async () => {
  const exported = '{id: s, ref: "#SEED", exports: {it: {from_target: stdout_json, path: id}}}'
  const holds = (expression: string) =>
    `assert: [{target: stdout, must: [{evaluate: [${expression}]}]}]`
  const seed = { script: answering({ SEED: '{"id": 7}', HOST: '7' }) }
  const run = (expression: string, steps = chain(exported)) =>
    verdicts({ 'a.spec.md': simple('SEED') + after('HOST', steps, holds(expression)) }, seed)
  const same = '{eq: [{json_parse: [{var: subject}]}, {get_in: [{var: chain}, {lit: [s, it]}]}]}'
  expect(await run(same)).toMatchObject({ HOST: 'pass' })
  expect(await run('{eq: [{var: chain}, {lit: {s: {it: 7}}}]}')).toMatchObject({ HOST: 'pass' })
  expect(await run('{eq: [{var: chain}, {lit: {}}]}', 'cwd: root')).toMatchObject({ HOST: 'pass' })
  expect((await run(same.replace('it]', 'no]')))['HOST']).toContain('assertion failed')
  expect((await run('{eq: [{var: steps}, 1]}'))['HOST']).toContain('undefined variable: steps')
})

describe('a chain that shares its folder', () => {
  /** Each command leaves its name in the folder and prints the names that are there. */
  function leaving(failing?: string) {
    const left = new Map<string, string[]>()
    const script: NonNullable<SpecRunSetup['script']> = command => {
      const folder = command.env['SPEC_RUNNER_TMP']
      if (folder === undefined) return { stdout: '(none)' }
      const names = [...(left.get(folder) ?? []), program(command)]
      left.set(folder, names)
      return { stdout: names.join(' '), exitCode: program(command) === failing ? 1 : 0 }
    }
    return { left, script }
  }
  const shared = (steps: string) => chain(steps, ', share_folder: true')
  const prints = (text: string) => `assert: [{target: stdout, must: [{equal: [${text}]}]}]`
  const files = {
    'a.spec.md': [
      after('HOST', shared('{id: a, ref: "#TWO"}, {id: b, ref: "#ONE"}'), prints('ONE TWO HOST')),
      cli('ONE', 'harness: {entrypoint: ONE, cwd: temp}'),
      after('TWO', shared('{id: a, ref: "#ONE"}'), prints('ONE TWO')),
      after('APART', chain('{id: a, ref: "#ONE"}')),
      after('MIXED', shared('{id: a, ref: "#APART"}'), prints('APART MIXED')),
      after('PLAIN', chain('{id: a, ref: "#HOST"}'), prints('(none)')),
    ].join(''),
  }

  test('runs its cases in one folder, which no other run of them sees', async () => {
    for (const jobs of [1, 2, 8]) {
      const { left, script } = leaving()
      const { outcomes, disk, started } = await aSpecRun(files, { script, jobs })
      expect(outcomes.map(({ outcome }) => outcome?.failure?.message ?? 'pass')).toEqual(
        outcomes.map(() => 'pass'),
      )
      // For itself, APART and MIXED; for TWO; for HOST.
      expect(started.map(program).filter(name => name === 'ONE')).toHaveLength(3)
      expect([...left.keys()].filter(folder => disk.isFolder(folder))).toEqual([])
    }
  })

  test('removes the folder if a step fails', async () => {
    const { left, script } = leaving('ONE')
    const { outcomes, disk } = await aSpecRun(files, { script })
    expect(outcomes.map(({ outcome }) => outcome?.status)).toEqual(outcomes.map(() => 'fail'))
    expect(left.size).toBeGreaterThan(0)
    expect([...left.keys()].filter(folder => disk.isFolder(folder))).toEqual([])
  })
})
