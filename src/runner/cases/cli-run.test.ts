import { describe, expect, test } from 'vitest'
import { aSpecRun, block, type SpecRunSetup, verdicts } from '../../../test/a-spec-run.ts'
import type { SimScript } from '../../testing/sim-processes.ts'

const cli = (...lines: readonly string[]) => block('id: A', 'type: cli.run', ...lines)
const tool = 'harness: {entrypoint: tool}'

async function ran(document: string, script: SimScript = {}, setup: SpecRunSetup = {}) {
  const { outcomes, started, disk } = await aSpecRun(
    { 'a.spec.md': document },
    { script: () => script, ...setup },
  )
  const outcome = outcomes[0]?.outcome
  const { failure } = outcome ?? {}
  const verdict = failure ? `${failure.category}: ${failure.message}` : outcome?.status
  return { verdict, started, disk, failure }
}

const verdictOf = async (...given: Parameters<typeof ran>) => (await ran(...given)).verdict

describe('the command', () => {
  test('[spec.2.entrypoint] is a line of words, and its arguments follow; no shell reads them', async () => {
    const { started } = await ran(
      cli(`harness: {entrypoint: 'node "my tool.js" -v'}`, 'argv: [a b, $HOME, 1, true]'),
    )
    expect(started.map(({ command }) => command)).toEqual([
      ['node', 'my tool.js', '-v', 'a b', '$HOME', '1', 'true'],
    ])
  })

  test('gets numbers as written, and so do its variables', async () => {
    const { started } = await ran(
      cli(
        'harness: {entrypoint: tool, timeout_ms: 5e1, env: {V: 2.0}}',
        'argv: [1.0, 1, 1e3, 3.10]',
      ),
    )
    expect(started[0]).toMatchObject({ env: { V: '2.0' }, timeoutMs: 50 })
    expect(started[0]?.command).toEqual(['tool', '1.0', '1', '1e3', '3.10'])
  })

  test('is a list of words, each as it stands, and one argument', async () => {
    const { started } = await ran(cli('harness: {entrypoint: [node, a "b]}', 'argv: one two'))
    expect(started[0]?.command).toEqual(['node', 'a "b', 'one two'])
  })

  test('[spec.2.entrypoint] is required', async () => {
    const { verdict, started } = await ran(cli('argv: [a]'))
    expect([verdict, started.length]).toEqual([
      'runtime: cli.run requires explicit harness.entrypoint',
      0,
    ])
  })

  test('a line that never ends its quote is refused before it runs', async () => {
    const { verdict, started } = await ran(cli(`harness: {entrypoint: 'a "b'}`))
    expect([verdict, started.length]).toEqual(['schema: harness.entrypoint has an unclosed "', 0])
  })

  test('runs in the contract root with its stdin and its timeout', async () => {
    const { started } = await ran(
      cli('harness: {entrypoint: tool, stdin_text: "a\\nb", timeout_ms: 50}'),
    )
    expect(started[0]).toMatchObject({ cwd: '/r', stdin: 'a\nb', timeoutMs: 50 })
    expect((await ran(cli(tool))).started[0]).toMatchObject({ stdin: '', timeoutMs: 30_000 })
  })

  test.each<[string, SimScript, string]>([
    [
      'cannot be started',
      { spawnFailed: { code: 'ENOENT', reason: 'there is no program tool' } },
      'runtime: cli.run could not start tool: there is no program tool',
    ],
    ['takes too long', { takesMs: 60_000 }, 'runtime: cli.run timed out after 30000 ms: tool'],
    [
      'says too much',
      { stdout: 'x'.repeat(9 * 1024 * 1024) },
      'runtime: cli.run wrote more than 8 MB to stdout: tool',
    ],
  ])('that %s is a failure of the run', async (_, script, verdict) => {
    expect((await verdictOf(cli(tool), script))?.split('\n')[0]).toBe(verdict)
  })

  test.each(['""', 'A=B'])('has no variable called %s', async name => {
    const verdict = await verdictOf(cli(`harness: {entrypoint: tool, env: {${name}: x}}`))
    expect(verdict).toMatch(/^schema: .*harness\.env has an invalid variable name/)
  })

  test('cannot be given a terminal', async () => {
    expect(await verdictOf(cli('harness: {entrypoint: tool, stdin_isatty: true}'))).toMatch(
      /^runtime: cli.run cannot make standard input a terminal/,
    )
  })
})

describe('the exit code', () => {
  test.each<[string, SimScript, string]>([
    ['[]', {}, 'pass'],
    ['[]', { exitCode: 2 }, 'assertion: [case_id=A] exit_code expected=0 actual=2'],
    ['{exit_code: 2}', { exitCode: 2 }, 'pass'],
    ['{exit_code: 139}', { signal: 'SIGSEGV' }, 'pass'],
    ['{exit_code: 1}', {}, 'assertion: [case_id=A] exit_code expected=1 actual=0'],
    ['{exit_code: [0, 3]}', { exitCode: 3 }, 'pass'],
    ['{exit_code: [1, 3]}', {}, 'assertion: [case_id=A] exit_code expected=1 or 3 actual=0'],
    [
      '{exit_code: []}',
      {},
      'schema: exit_code must be a non-negative whole number or a non-empty list, but is an empty list',
    ],
  ])('with %s after %j: %s', async (given, script, verdict) => {
    const demand = given === '[]' ? [] : [given.slice(1, -1)]
    expect(await verdictOf(cli(tool, ...demand), script)).toBe(verdict)
  })

  const asserted = 'assert: [{target: exit_code, must: [{equal: [3]}]}]'

  test('is a target, and an assertion on it replaces the default', async () => {
    expect(await verdictOf(cli(tool, asserted), { exitCode: 3 })).toBe('pass')
    expect(await verdictOf(cli(tool, asserted))).toMatch(/target=exit_code op=equal.*failed/)
  })

  test('must be the expected one, whatever an assertion on it says', async () => {
    expect(await verdictOf(cli(tool, 'exit_code: 0', asserted), { exitCode: 3 })).toMatch(
      /exit_code expected=0 actual=3/,
    )
  })

  test('comes before the assertions', async () => {
    const document = cli(tool, 'assert: [{target: stdout, must: [{contain: [x]}]}]')
    expect(await verdictOf(document, { exitCode: 1 })).toContain('exit_code expected=0 actual=1')
  })
})

describe('the environment', () => {
  const env = { A: '1', B: '2', C: '3' }
  const harness = 'harness: {entrypoint: tool, env: {B: null, C: 4, D: true}}'

  test('is inherited, without variables that the case removes and with those that it sets', async () => {
    const { started } = await ran(cli(harness), {}, { env })
    expect(started[0]?.env).toEqual({ A: '1', B: undefined, C: '4', D: 'true' })
  })

  test.each([
    ['A', { A: '1', C: '4', D: 'true' }],
    [',', { C: '4', D: 'true' }],
  ])(
    '[spec.2.env-allowlist] has the variables of the allow-list %j and of the case',
    async (list, want) => {
      const given = { ...env, SPEC_RUNNER_ENV_ALLOWLIST: list }
      const { started } = await ran(cli(harness), {}, { env: given })
      expect({ ...started[0]?.env }).toEqual({ ...want, B: undefined })
    },
  )
})

describe('setup files', () => {
  const files = '[{path: in/a.txt, text: "one"}, {path: b.txt}]'

  test('[spec.8.setup-files] lie in a folder of the case, which is removed afterwards', async () => {
    let seen: unknown
    const document = cli(
      `harness: {entrypoint: tool, cwd: temp, setup_files: ${files}, env: {CONFIG: in/a.txt}}`,
    )
    const { started, disk } = await ran(
      document,
      {},
      {
        script: ({ cwd }, found) => ({
          effect: () => {
            const text = (path: string) => new TextDecoder().decode(found.contentOf(path))
            seen = [text(`${cwd}/in/a.txt`), text(`${cwd}/b.txt`)]
          },
        }),
      },
    )
    expect(seen).toEqual(['one', ''])
    const folder = started[0]?.cwd
    expect(started[0]?.env).toEqual({ SPEC_RUNNER_TMP: folder, CONFIG: `${folder}/in/a.txt` })
    expect(disk.isFolder(folder ?? '')).toBe(false)
  })

  test('every case has its own', async () => {
    const one = (id: string) =>
      block(`id: ${id}`, 'type: cli.run', `harness: {entrypoint: tool, setup_files: ${files}}`)
    const { started } = await aSpecRun({ 'a.spec.md': one('A') + one('B') }, { script: () => ({}) })
    expect(new Set(started.map(({ env }) => env.SPEC_RUNNER_TMP)).size).toBe(2)
  })

  test.each(['../../x', '/etc/x', '~/x', 'a/../../x'])(
    '[spec.8.setup-files] %s is refused before anything is touched',
    async path => {
      const document = cli(`harness: {entrypoint: tool, setup_files: {path: "${path}", text: x}}`)
      const { verdict, started, disk } = await ran(document)
      expect(verdict).toMatch(
        /^schema: harness.setup_files.path (must be relative|escapes tmp_path)/,
      )
      expect([started.length, disk.isFolder('/tmp')]).toEqual([0, false])
    },
  )
})

describe('hooks', () => {
  const hooked =
    'harness: {entrypoint: tool, hook_before: make ready, hook_after: clean up, hook_kwargs: {a: [1]}}'

  test('[spec.9.hooks] run before and after, and get the result', async () => {
    const { verdict, started } = await ran(cli(hooked), { stdout: 'printed' })
    expect(verdict).toBe('pass')
    expect(started.map(({ command }) => command)).toEqual([
      ['make', 'ready'],
      ['tool'],
      ['clean', 'up'],
    ])
    expect([started[0], started[2]].map(one => JSON.parse(one?.stdin ?? ''))).toEqual([
      { hook: 'hook_before', case_id: 'A', kwargs: { a: [1] } },
      {
        hook: 'hook_after',
        case_id: 'A',
        kwargs: { a: [1] },
        result: { exit_code: 0, stdout: 'printed', stderr: '' },
      },
    ])
  })

  test('get numbers as written', async () => {
    const { started } = await ran(
      cli('harness: {entrypoint: tool, hook_before: ready, hook_kwargs: {a: [1.0, 1], b: 1.5}}'),
    )
    expect(started[0]?.stdin).toBe(
      '{"hook":"hook_before","case_id":"A","kwargs":{"a":[1.0,1],"b":1.5}}\n',
    )
  })

  test('one that fails ends the case', async () => {
    const { verdict, started } = await ran(cli(hooked), { exitCode: 3, stderr: 'no room\n' })
    expect([verdict, started.length]).toEqual(['runtime: hook_before exited with 3: no room', 1])
  })

  const ends: readonly [string, SimScript, string][] = [
    ['takes too long', { takesMs: 10_000_000 }, 'timed out after 30000 ms: tool'],
    ['says too much', { stdout: 'x'.repeat(9_000_000) }, 'wrote more than 8 MB to stdout: tool'],
    [
      'cannot start',
      { spawnFailed: { code: 'ENOENT', reason: 'not found' } },
      'could not start tool: not found',
    ],
  ]
  test.each(ends)('the after hook cleans up behind a command that %s', async (_, script, why) => {
    const { verdict, started } = await ran(
      cli(hooked),
      {},
      { script: ({ command }) => (command[0] === 'tool' ? script : {}) },
    )
    expect(verdict?.split('\n')[0]).toBe(`runtime: cli.run ${why}`)
    const last = started.at(-1)
    expect([started[0]?.command[0], last?.command[0]]).toEqual(['make', 'clean'])
    expect(JSON.parse(last?.stdin ?? '')).toEqual({
      hook: 'hook_after',
      case_id: 'A',
      kwargs: { a: [1] },
    })
  })

  test('a command that takes too long is reported with what it printed', async () => {
    const script = { takesMs: 10_000_000, stdout: 'step 1\nstep 2\n', stderr: 'waiting "here"' }
    const { verdict, failure } = await ran(cli(tool), script)
    expect(verdict).toBe(
      [
        'runtime: cli.run timed out after 30000 ms: tool',
        '  stdout:',
        '    | step 1',
        '    | step 2',
        '  stderr: "waiting "here""',
      ].join('\n'),
    )
    expect(failure?.output).toEqual({ stdout: script.stdout, stderr: script.stderr })
  })

  test('[spec.2.safe-mode] in safe mode nothing of such a case runs', async () => {
    const env = { SPEC_RUNNER_SAFE_MODE: 'yes' }
    const { verdict, started } = await ran(cli(hooked), {}, { env })
    expect([verdict, started.length]).toEqual([
      'runtime: harness.hook_before does not run in safe mode (SPEC_RUNNER_SAFE_MODE)',
      0,
    ])
    expect(await verdictOf(cli(tool), {}, { env })).toBe('pass')
  })

  test.each(['hook_before', 'hook_after'])(
    '[spec.2.safe-mode] in safe mode nothing of a case with %s alone runs',
    async hook => {
      const env = { SPEC_RUNNER_SAFE_MODE: '1' }
      const document = cli(`harness: {entrypoint: tool, ${hook}: clean up}`)
      const { failure, started } = await ran(document, {}, { env })
      expect([failure?.path, started.length]).toEqual([`harness.${hook}`, 0])
    },
  )
})

describe('the output', () => {
  const on = (...groups: readonly string[]) => cli(tool, `assert: [${groups.join(', ')}]`)
  const output = '{target: output, must: [{equal: "out\\nerr\\n"}]}'
  const script: SimScript = { stdout: 'out\n', stderr: 'err\n' }

  test('is both streams through one pipe, only where an assertion asks for it', async () => {
    const { verdict, started } = await ran(on(output), script)
    expect([verdict, started[0]?.joinsOutputs]).toEqual(['pass', true])
    const apart = await ran(on('{target: stdout, must: [{equal: "out\\n"}]}'), script)
    expect([apart.verdict, apart.started[0]?.joinsOutputs]).toEqual(['pass', false])
  })

  test('is quoted when the exit code is wrong', async () => {
    expect(await verdictOf(on(output), { ...script, exitCode: 1 })).toContain(
      'output:\n    | out\n    | err',
    )
  })

  test('is the output in context_json', async () => {
    const value =
      '{evaluate: [{eq: [{get: [{get: [{var: subject}, value]}, output]}, "out\\nerr\\n"]}]}'
    expect(await verdictOf(on(output, `{target: context_json, must: [${value}]}`), script)).toBe(
      'pass',
    )
  })

  test.each(['stdout', 'stderr', 'stdout_json', 'stdout_path', 'stdout_path_text'])(
    'and %s exclude each other before anything runs',
    async target => {
      const nested = `{target: exit_code, can: [{target: ${target}, must: [{contain: [x]}]}]}`
      const { verdict, started } = await ran(on(output, nested), script)
      expect(started).toHaveLength(0)
      expect(verdict).toBe(
        `schema: a case that asserts on output has no ${target}: both streams go to one pipe`,
      )
    },
  )

  test.each([
    ['stdout', output, 'the case has no stdout: both streams go to one pipe'],
    [
      'output',
      '{target: stdout, must: [{exists: [true]}]}',
      'the case has no output: no assertion is on output',
    ],
  ])('an export of %s that the case does not have fails', async (target, group, why) => {
    const steps = `{id: s, ref: "#A", exports: {x: {from_target: ${target}}}}`
    const user = block(
      'id: B',
      'type: cli.run',
      `harness: {entrypoint: tool, chain: {steps: [${steps}]}}`,
    )
    const files = { 'a.spec.md': `${on(group)}\n${user}` }
    expect(await verdicts(files, { script: () => script })).toMatchObject({
      A: 'pass',
      B: expect.stringContaining(why),
    })
  })
})

describe('golden text', () => {
  const on = (leaf: string) => cli(tool, `assert: [{target: stdout, must: [${leaf}]}]`)

  test.each<[string, string, string]>([
    ['{equal: "1\\n2\\n"}', '1\n2\n', 'pass'],
    ['{equal: ["1\\n2\\n"]}', '1\n2\n', 'pass'],
    ['{equal: "1\\n2\\n"}', '1\n2\n3\n', 'stdout op=equal'],
    ['{equal: "3\\n"}', '33\n', 'stdout op=equal'],
    ['{equal: "1"}', '1\n', 'stdout op=equal'],
    ['{lines: "1\\n[2-4] (re)\\n"}', '1\n3\n', 'pass'],
    ['{lines: ["1\\n[2-4] (re)\\n", "1\\n? (glob)"]}', '1\n3\n', 'pass'],
    ['{lines: "1\\n[2-4] (re)\\n"}', '1\n5\n', 'stdout op=lines'],
    ['{lines: "1\\n(any)"}', '1\n', 'stdout op=lines'],
    ['{lines: 1}', '1\n', 'lines must be text or a list, but is the number 1'],
    ['{contain: "1"}', '1\n', 'contain must be a list, but is text'],
    ['{lines: "[ (re)"}', 'x\n', 'schema: '],
  ])('%s on %j: %s', async (leaf, stdout, verdict) => {
    expect(await verdictOf(on(leaf), { stdout })).toContain(verdict)
  })

  test('a failure of lines shows marked lines that match as context', async () => {
    const block = 'a\\nt=[0-9]+ (re)\\nb\\n(any*)\\nc\\nend\\n'
    const stdout = 'a\nt=12\nB\n1\n2\nc\nmore\nend\n'
    expect(await verdictOf(on(`{lines: "${block}"}`), { stdout })).toBe(
      [
        'assertion: [case_id=A assert_path=assert[0].must[0] target=stdout op=lines] lines assertion failed',
        '  expected: to match these lines (- expected, + actual)',
        '    @@ -1,8 +1,8 @@',
        '     a',
        '     t=12',
        '    -b',
        '     B',
        '     1',
        '     2',
        '     c',
        '    +more',
        '     end',
      ].join('\n'),
    )
  })

  test('a failure of lines shows that the last line has no line feed', async () => {
    expect(await verdictOf(on('{lines: "a\\nb\\n"}'), { stdout: 'a\nb' })).toContain(
      ['     a', '    -b', '    +b (no-eol)'].join('\n'),
    )
  })

  test('equal compares JSON as a value', async () => {
    const document = cli(tool, 'assert: [{target: stdout_json, must: [{equal: [{a: [1, 2]}]}]}]')
    expect(await verdictOf(document, { stdout: '{ "a": [1, 2] }' })).toBe('pass')
    expect(await verdictOf(document, { stdout: '{ "a": [2, 1] }' })).toContain('to equal')
  })
})

describe('targets', () => {
  const on = (target: string, leaf: string) =>
    cli(tool, `assert: [{target: ${target}, must: [${leaf}]}]`)
  const equal = (value: string) => `{evaluate: [{eq: [{var: subject}, ${value}]}]}`

  test.each<[string, string, SimScript]>([
    ['stdout', equal('"out\\n"'), { stdout: 'out\n' }],
    ['stderr', '{contain: [err]}', { stderr: 'an error' }],
    ['stdout_path', equal('made.txt'), { stdout: '\n  made.txt \nmore' }],
    ['stdout_path_text', equal('made'), { stdout: 'made.txt' }],
    ['stdout_path_text', equal('made'), { stdout: '/r/made.txt' }],
    ['stdout_path.exists', equal('true'), { stdout: 'made.txt' }],
    ['stdout_path.exists', equal('false'), { stdout: 'gone.txt' }],
    ['stdout_path', '{exists: [true]}', { stdout: 'made.txt' }],
    ['stdout_json', equal('{lit: {a: [1]}}'), { stdout: ' {"a": [1.0]}\n' }],
    ['stdout_json', '{json_type: [list]}, {contain: ["[1,2]"]}', { stdout: '[1, 2]' }],
  ])('[spec.3.cli-targets] %s %s', async (target, leaf, script) => {
    const files = { 'a.spec.md': on(target, leaf), 'made.txt': 'made' }
    expect(await verdicts(files, { script: () => script })).toEqual({ A: 'pass' })
  })

  test.each<[string, SimScript, string]>([
    ['stdout_path', {}, 'assertion: .*contains no path'],
    ['stdout_path_text', { stdout: 'gone' }, 'assertion: .*no such file: gone'],
    ['stdout_path_text', { stdout: '/outside.txt' }, 'runtime: .*outside the contract root'],
    ['stdout_path_text', { stdout: '../outside.txt' }, 'runtime: .*outside the contract root'],
    ['stdout_path.exists', { stdout: '/etc' }, 'runtime: .*outside the contract root'],
    ['stdout_json', { stdout: 'made' }, 'runtime: .*target=stdout_json.*stdout is not JSON'],
    ['stdout_json', { stdout: '{"a":1}{}' }, 'runtime: .*stdout is not JSON'],
    ['stdout_json', {}, 'runtime: .*stdout is not JSON'],
  ])('%s after %j is a failure', async (target, script, verdict) => {
    expect(await verdictOf(on(target, equal('x')), script)).toMatch(new RegExp(`^${verdict}`))
  })

  test('[spec.4.availability] an unavailable subject fails only the assertions that use it', async () => {
    const branches = '{evaluate: [true]}, {target: stdout_path_text, must: [{contain: [x]}]}'
    const document = cli(tool, `assert: [{target: stdout, can: [${branches}]}]`)
    expect(await verdictOf(document, { stdout: '/outside.txt' })).toBe('pass')
    const alone = cli(tool, 'assert: [{target: stdout_path_text, must: [{contain: [x]}]}]')
    expect(await verdictOf(alone, { stdout: '/outside.txt' })).toMatch(/^runtime: /)
    const none = cli(tool, 'assert: [{target: body_text, must: [{contain: [x]}]}]')
    expect(await verdictOf(none)).toMatch(/^schema: .*body_text/)
  })

  test('assertions may read the temporary folder while the case runs', async () => {
    const document = cli(
      'harness: {entrypoint: tool, cwd: temp, setup_files: {path: a.txt, text: mine}}',
      `assert: [{target: stdout_path_text, must: [${equal('mine')}]}]`,
    )
    expect(await verdictOf(document, { stdout: 'a.txt' })).toBe('pass')
  })

  test('[spec.4.json-subjects] stdout_json has the integers that were printed', async () => {
    const large = '9007199254740993'
    const off = equal('9007199254740992')
    expect(await verdictOf(on('stdout_json', equal(large)), { stdout: large })).toBe('pass')
    expect(await verdictOf(on('stdout_json', off), { stdout: large })).toMatch(/^assertion/)
  })

  test('[spec.4.json-subjects] context_json is an envelope', async () => {
    const want = {
      context: { entrypoint: 'tool', safe_mode: false },
      meta: { argv: ['-x'], case_id: 'A', target: 'cli.run' },
      profile_id: 'cli.run/v1',
      profile_version: 1,
      value: { exit_code: 0, stderr: 'e', stdout: 'o' },
    }
    const text = `{eq: [{std.json.stringify: [{var: subject}]}, '${JSON.stringify(want)}']}`
    const document = cli(
      tool,
      'argv: [-x]',
      `assert: [{target: context_json, must: [{evaluate: [${text}]}]}]`,
    )
    expect(await verdictOf(document, { stdout: 'o', stderr: 'e' })).toBe('pass')
  })
})

describe('masks', () => {
  const masked = (masks: string, leaf: string, ...more: readonly string[]) =>
    cli(
      `harness: {entrypoint: tool, masks: [${masks}]${more.join('')}}`,
      `assert: [{target: stdout, must: [${leaf}]}]`,
    )

  test.each<[string, string, string]>([
    ['durations', '{equal: "took <duration>\\n"}', 'took 12 ms\n'],
    ['root, times', '{equal: "<root>/a <time>\\n"}', '/r/a 05:31:12\n'],
    ['{regex: "pid [0-9]+", as: pid $1}', '{lines: "pid $1"}', 'pid 123\n'],
    ['{text: a.b}', '{equal: "<masked> axb\\n"}', 'a.b axb\n'],
    ['ansi', '{contain: [red]}', 'r\u001b[1med\n'],
    ['temp', '{equal: "<temp>/a\\n"}', '/tmp/x1/a\n'],
  ])('%s: %s', async (masks, leaf, stdout) => {
    expect(await verdictOf(masked(masks, leaf), { stdout })).toBe('pass')
  })

  test('the temporary folder of the case is masked wherever it is', async () => {
    const document = masked('temp', '{equal: "<temp>"}', ', cwd: temp')
    const { outcomes } = await aSpecRun(
      { 'a.spec.md': document },
      { script: ({ cwd }) => ({ stdout: cwd }) },
    )
    expect(outcomes[0]?.outcome?.status).toBe('pass')
  })

  test('apply one after the other, in the order written', async () => {
    const masks = '{text: a, as: b}, {text: b, as: c}'
    expect(await verdictOf(masked(masks, '{equal: cc}'), { stdout: 'ab' })).toBe('pass')
  })

  test('leave JSON and exported values as they are', async () => {
    const first = cli(
      'harness: {entrypoint: tool, masks: [{regex: "[0-9]+", as: N}]}',
      'assert: [{target: stdout_json, must: [{equal: [7]}]}, {target: stdout, must: [{equal: N}]}]',
    )
    const steps = '{id: s, ref: "#A", exports: {x: {from_target: stdout}}}'
    const second = block(
      'id: B',
      'type: cli.run',
      `harness: {entrypoint: tool, chain: {steps: [${steps}]}}`,
      'argv: ["{{chain.s.x}}"]',
    )
    const files = { 'a.spec.md': `${first}\n${second}` }
    const { outcomes, started } = await aSpecRun(files, { script: () => ({ stdout: '7' }) })
    expect(outcomes.map(({ outcome }) => outcome?.status)).toEqual(['pass', 'pass'])
    expect(started.map(({ command }) => command)).toContainEqual(['tool', '7'])
  })

  test('may name an exported value', async () => {
    const steps = '{id: s, ref: "#A", exports: {x: {from_target: stdout}}}'
    const second = block(
      'id: B',
      'type: cli.run',
      `harness: {entrypoint: tool, masks: [{text: "{{chain.s.x}}", as: X}], chain: {steps: [${steps}]}}`,
      'assert: [{target: stdout, must: [{equal: X}]}]',
    )
    const files = { 'a.spec.md': `${cli(tool)}\n${second}` }
    expect(await verdicts(files, { script: () => ({ stdout: 'a(b' }) })).toEqual({
      A: 'pass',
      B: 'pass',
    })
  })

  test.each([
    ['duration', 'schema: harness.masks[0] must be one of ansi, root, temp, times'],
    ['{as: x}', 'schema: harness.masks[0] must have one of regex and text'],
    ['{regex: a, text: a}', 'schema: harness.masks[0] must have one of regex and text'],
    ['{regex: "(?=a)"}', 'schema: harness.masks[0].regex: a mask supports no lookaround'],
    ['{regex: "("}', 'schema: spec_lang regex "("'],
    ['{regex: "a*"}', 'schema: spec_lang regex "a*": it matches the empty text'],
  ])('%s is refused before anything runs', async (masks, verdict) => {
    const found = await ran(masked(masks, '{exists: [true]}'))
    expect([found.verdict, found.started.length]).toEqual([expect.stringContaining(verdict), 0])
  })
})
