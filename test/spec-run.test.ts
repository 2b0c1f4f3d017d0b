/** `premath spec run`, on real documents with real commands. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { jsonSchemas } from '../src/wire/index.ts'
import type { SpecCaseResult } from '../src/wire/spec/spec-report.ts'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'
import { main } from './built-command.ts'

const project = aProject()
const reportValid = new Ajv2020({ strict: false }).compile(
  jsonSchemas()['premath.spec.report.v1'] as object,
)

function given(documents: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(documents)) {
    const path = join(project.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

const cli = (id: string, entrypoint: string, ...lines: readonly string[]) =>
  block(`id: ${id}`, 'type: cli.run', 'harness:', `  entrypoint: ${entrypoint}`, ...lines)
const sh = (script: string) => `[sh, -c, ${JSON.stringify(script)}]`

/** Root may do anything with any folder, so what permissions do is tried by somebody else. */
const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** The report, which must be as its schema says. */
function ran(args: readonly string[] = [], setup: Parameters<typeof project.asked>[1] = {}) {
  const { status, stderr, json } = project.asked(['spec', 'run', ...args], setup)
  reportValid(json)
  expect(reportValid.errors ?? []).toEqual([])
  const results: readonly SpecCaseResult[] = json.results
  const verdicts = Object.fromEntries(
    results.map(({ id, category, message, status: one }) => [
      id,
      category === null ? one : `${category}: ${message}`,
    ]),
  )
  return { status, stderr, json, results, verdicts }
}

/** One that ended and that nobody has asked about yet is not. */
function isAlive(pid: string): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'))
}

const waitFor = async (isThere: () => boolean) => {
  while (!isThere()) await pause(10)
}

describe('a run', () => {
  test('skips a pipe and a link to itself that are named like documents', () => {
    given({ 'a.spec.md': block('id: A', 'type: text.file') })
    spawnSync('mkfifo', [join(project.folder, 'pipe.spec.md')])
    symlinkSync('loop.spec.md', join(project.folder, 'loop.spec.md'))
    const { status, verdicts, json } = ran()
    expect([status, verdicts]).toEqual([2, { A: 'pass' }])
    expect(json.problems).toMatchObject([
      { file: 'loop.spec.md', code: 'document.unreadable' },
      { file: 'pipe.spec.md', code: 'document.unreadable' },
    ])
  })

  test('skips a given link to itself, and a path through one', () => {
    given({ 'a.spec.md': block('id: A', 'type: text.file') })
    symlinkSync('loop.spec.md', join(project.folder, 'loop.spec.md'))
    const { status, verdicts, json } = ran(['loop.spec.md', 'loop.spec.md/b.spec.md', 'a.spec.md'])
    expect([status, verdicts]).toEqual([2, { A: 'pass' }])
    const why = 'is a symbolic link that leads back to itself'
    expect(json.problems).toMatchObject([
      { file: 'loop.spec.md', code: 'document.unreadable', message: `loop.spec.md ${why}` },
      { file: 'loop.spec.md/b.spec.md', message: `loop.spec.md/b.spec.md ${why}` },
    ])
  })

  const documents = {
    'text.txt': 'Text',
    'a.spec.md': block(
      'id: TEXT',
      'type: text.file',
      'path: text.txt',
      'assert:',
      '- target: text',
      '  must:',
      '  - contain: [Text]',
      '  - contain: [absent]',
    ),
    'b.spec.md': cli(
      'ECHO',
      'echo',
      'argv: [hello]',
      'assert:',
      '- {target: stdout, must: [{contain: [hello]}]}',
    ),
    'c.spec.md': cli('EXITS', 'sh -c "exit 2"'),
  }

  test('reports each failure with its place and a caret, and counts them', () => {
    given(documents)
    const { status, stdout, stderr } = project.premath(['spec', 'run'])
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    expect(stdout.replace(/in [\d.]+ s/, 'in T s')).toBe(
      [
        'FAIL TEXT  a.spec.md:9:15',
        '  9 |   - contain: [absent]',
        '    |               ^',
        '  assertion: [case_id=TEXT assert_path=assert[0].must[1] target=text op=contain] contain assertion failed',
        '    expected: to contain "absent"',
        '    actual: "Text"',
        '',
        'FAIL EXITS  c.spec.md:2:1',
        '  2 | id: EXITS',
        '    | ^',
        '  assertion: [case_id=EXITS] exit_code expected=0 actual=2',
        '',
        '1 passed, 2 failed in T s',
        '',
      ].join('\n'),
    )
  })

  test('prints the same as JSON, in the order of the documents', () => {
    given(documents)
    const { status, json, results } = ran(['--jobs', '3'])
    expect(status).toBe(1)
    expect(json).toMatchObject({
      action: 'spec.run',
      result: 'rejected',
      total: 3,
      passed: 1,
      failed: 2,
    })
    expect(results.map(({ id, status: one, assertions }) => [id, one, assertions])).toEqual([
      ['TEXT', 'fail', 2],
      ['ECHO', 'pass', 2],
      ['EXITS', 'fail', 1],
    ])
    expect(results[0]).toMatchObject({
      at: { line: 9, column: 15 },
      target: 'text',
      op: 'contain',
    })
  })

  test('exits 0 if every case passes, and 1 without a case', () => {
    const nothing = {
      status: 1,
      stdout: 'Nothing was checked: there is no case. premath spec create makes one.\n',
      stderr: '',
    }
    expect(project.premath(['spec', 'run'])).toEqual(nothing)
    given({ 'empty.spec.md': '# To be written\n' })
    expect(project.premath(['spec', 'run'])).toEqual(nothing)
    expect(project.premath(['spec', 'conform', '.'])).toMatchObject({ status: 1 })
    expect(ran()).toMatchObject({ status: 1, json: { result: 'rejected', total: 0 } })
    given({ 'b.spec.md': documents['b.spec.md'] })
    expect(ran().status).toBe(0)
  })

  test('exits 2 for an unreadable document, and runs the rest', () => {
    given({ ...documents, 'd.spec.md': block('id: D', '\ttype: x') })
    const { status, stderr, json } = ran()
    expect([status, json.total, json.failed, json.problems.length]).toEqual([2, 3, 2, 1])
    expect(stderr).toContain('error: d.spec.md:3:1: a tab is used as indentation (yaml.tab)')
  })

  test('exits 2 for a document in a format that is not supported', () => {
    given({ 'b.spec.md': documents['b.spec.md'], 'c.spec.md': '```yaml contract-spec\n```\n' })
    for (const verb of ['run', 'lint', 'list']) {
      const { status, stdout, stderr } = project.premath(['spec', verb])
      expect([verb, status]).toEqual([verb, 2])
      expect(stdout + stderr).toContain(
        'c.spec.md:1:1: contract-spec is a format that premath does not support',
      )
    }
  })

  test('a case that must fail passes if it does, and the page and the reports say so', () => {
    const failing = (id: string, category: string) =>
      cli(id, '"false"', `expect: {status: fail, category: ${category}}`)
    given({ 'a.spec.md': failing('MUST-FAIL', 'assertion') + failing('OTHER', 'runtime') })
    const { status, json, verdicts } = ran()
    expect([status, json.passed, json.expectedFailures, json.failed]).toEqual([1, 1, 1, 1])
    expect(verdicts['MUST-FAIL']).toBe('pass')
    expect(json.results[0].expectedFailure).toEqual({
      category: 'assertion',
      message: '[case_id=MUST-FAIL] exit_code expected=0 actual=1',
    })
    expect(json.results[1].disagreements).toEqual(['category is assertion, expected runtime'])
    const page = project.premath(['spec', 'run']).stdout
    expect(page).toContain(
      '\nfailed as expected: MUST-FAIL\n1 passed (1 failed as expected), 1 failed in ',
    )
    expect(page).toContain('not as its expect says: category is assertion, expected runtime')
    for (const name of ['junit', 'tap', 'ctrf', 'html']) {
      const report = project.premath(['spec', 'run', '--report', name]).stdout
      expect([name, report]).toEqual([
        name,
        expect.stringContaining('failed as expected: assertion: '),
      ])
      expect([name, report]).toEqual([name, expect.stringContaining('not as its expect says')])
    }
    const explained = project.premath(['spec', 'explain', 'MUST-FAIL', '--run'])
    expect([explained.status, explained.stdout]).toEqual([
      0,
      expect.stringContaining('ran: pass, failed as expected, assertion'),
    ])
  })

  test('fails an invalid case beside the others, with all its problems', () => {
    given({
      'a.spec.md': block('id: A', 'type: text.file', 'asert: []', 'path: 1') + cli('B', '"true"'),
    })
    const { verdicts, status } = ran()
    expect(verdicts).toEqual({
      A: expect.stringMatching(/^schema: .*unknown key: asert.*path must be text/),
      B: 'pass',
    })
    expect(status).toBe(1)
    expect(project.premath(['spec', 'run']).stdout).toContain('Did you mean assert?')
  })

  test('can be limited to some cases', () => {
    const tagged = (id: string, tag: string) =>
      cli(id, '"true"', `tags: [${tag}]`, `title: Case ${id}`)
    given({ 'a.spec.md': tagged('ONE', 'slow') + tagged('TWO', 'quick') + tagged('THREE', 'net') })
    const ids = (...args: readonly string[]) => Object.keys(ran(args).verdicts)
    expect(ids('--filter', 'case t')).toEqual(['TWO', 'THREE'])
    expect(ids('--tag', 'slow', '--tag', 'net')).toEqual(['ONE', 'THREE'])
    const none = project.premath(['spec', 'run', '--tag', 'slwo'])
    expect(none.status).toBe(2)
    expect(none.stderr).toContain('Did you mean --tag slow?')
  })

  test('is refused if no case can match, unless a document is unreadable', () => {
    const none = project.premath(['spec', 'run', '--filter', 'x'])
    expect([none.status, none.stdout]).toEqual([2, ''])
    expect(none.stderr).toContain('there is no case that could fit --filter "x"')
    given({ 'd.spec.md': block('id: D', '\ttype: x') })
    const broken = project.premath(['spec', 'run', '--filter', 'x'])
    expect([broken.status, broken.stderr]).toEqual([2, expect.stringContaining('(yaml.tab)')])
  })

  test('ends early when asked to', () => {
    given({ 'a.spec.md': cli('A', '"true"') + cli('B', '"false"') + cli('C', '"true"') })
    const { json, verdicts } = ran(['--fail-fast', '--jobs', '1'])
    expect(Object.keys(verdicts)).toEqual(['A', 'B'])
    expect(json.notRun).toBe(1)
  })

  test('skips a case without its capabilities, if the case allows that', () => {
    const needs = (id: string, more: string) =>
      cli(id, '"false"', `requires: {capabilities: [time.travel]${more}}`)
    given({ 'a.spec.md': needs('SKIP', ', when_missing: skip') + needs('FAIL', '') })
    expect(ran().verdicts).toEqual({
      SKIP: 'skip',
      FAIL: 'runtime: ts lacks required capabilities: time.travel',
    })
  })
})

describe('commands', () => {
  test('run without a shell, in the contract root, with their input', () => {
    mkdirSync(join(project.folder, '.git'))
    const seen =
      'process.stdout.write(JSON.stringify([process.cwd(), process.argv.slice(1), require("fs").readFileSync(0, "utf8")]))'
    given({
      'docs/a.spec.md': block(
        'id: A',
        'type: cli.run',
        `harness: {entrypoint: [${JSON.stringify(process.execPath)}, -e, ${JSON.stringify(seen)}], stdin_text: in}`,
        'argv: ["$HOME; *", "a b"]',
        'assert:',
        `- {target: stdout, must: [{evaluate: [{eq: [{var: subject}, ${JSON.stringify(JSON.stringify([project.folder, ['$HOME; *', 'a b'], 'in']))}]}]}]}`,
      ),
    })
    expect(ran().verdicts).toEqual({ A: 'pass' })
  })

  test('that do not exist are reported, and the rest runs', () => {
    given({ 'a.spec.md': cli('A', 'no-such-program-here') + cli('B', '"true"') })
    expect(ran().verdicts).toEqual({
      A: expect.stringContaining('runtime: cli.run could not start no-such-program-here'),
      B: 'pass',
    })
  })

  test('that ignore SIGTERM are killed with everything they started', () => {
    const pids = join(project.folder, 'pids')
    const written = () => (existsSync(pids) ? readFileSync(pids, 'utf8').trim().split('\n') : [])
    const script = `trap '' TERM; sh -c 'trap "" TERM; echo $$ >>pids; while :; do sleep 0.1; done' & echo $$ >>pids; while :; do sleep 0.1; done`
    // A busy machine needs longer to start them, and then the limit is longer.
    for (let ms = 500; written().length < 2; ms *= 2) {
      rmSync(pids, { force: true })
      given({ 'a.spec.md': cli('A', sh(script), `  timeout_ms: ${ms}`) })
      expect(ran().verdicts).toEqual({ A: `runtime: cli.run timed out after ${ms} ms: sh` })
    }
    expect(written().filter(isAlive)).toEqual([])
  })

  test('without a verdict are reported with a remedy', () => {
    const reads = (id: string, ...lines: readonly string[]) =>
      block(`id: ${id}`, 'type: text.file', ...lines)
    given({
      'a.spec.md': [
        cli('MISSING', 'no-such-program-here'),
        cli('LOCKED', './a.spec.md'),
        cli('SLOW', sh('sleep 600'), '  timeout_ms: 50'),
        cli('LARGE', sh('head -c 9000000 /dev/zero')),
        cli('OUTSIDE', 'cat', '  setup_files: [{path: ../../x}]'),
        reads('ABOVE', 'path: ../x'),
        reads('NO-STEP', 'harness: {chain: {steps: [{id: s, ref: "#XYZZY"}]}}'),
        reads('NO-FILE', 'harness: {chain: {steps: [{id: s, ref: "b.spec.md#X"}]}}'),
        reads('NO-JSON', 'assert: [{target: text, must: [{json_type: [dict]}]}]'),
        reads('HUGE', 'assert: [{target: text, must: [{evaluate: [{range: [0, 1000000000]}]}]}]'),
        cli('VIA', '"true"', '  chain: {steps: [{id: s, ref: "#SLOW"}]}'),
      ].join(''),
    })
    const { results } = ran()
    const hints = Object.fromEntries(results.map(({ id, hint }) => [id, hint]))
    expect(hints).toEqual({
      MISSING: expect.stringContaining('on the PATH'),
      LOCKED: expect.stringContaining('executable file'),
      SLOW: expect.stringContaining('harness.timeout_ms'),
      LARGE: expect.stringContaining('print less'),
      OUTSIDE: expect.stringContaining('below the temporary folder'),
      ABOVE: expect.stringContaining('below the contract root'),
      'NO-STEP': expect.stringContaining('spec list'),
      'NO-FILE': expect.stringContaining('relative to this document'),
      'NO-JSON': expect.stringContaining('assert on it as text'),
      HUGE: expect.stringContaining('harness.spec_lang.max_size'),
      VIA: expect.stringContaining('harness.timeout_ms'),
    })
    const page = project.premath(['spec', 'run']).stdout
    for (const hint of Object.values(hints)) expect(page).toContain(`\n    ${hint}\n`)
  })

  test('that exceed the output limit are ended at the limit', () => {
    given({ 'a.spec.md': cli('A', sh('yes >&2'), '  timeout_ms: 3600000') })
    const [first, ...shown] = ran().verdicts['A']?.split('\n') ?? []
    expect(first).toBe('runtime: cli.run wrote more than 8 MB to stderr: sh')
    expect(shown.length).toBeLessThan(25)
  })

  test('[spec.2.env-allowlist] get the variables that the allow-list names', () => {
    given({
      'a.spec.md': cli(
        'A',
        sh('echo "$SHOWN $HIDDEN $SET"'),
        '  env: {SET: set}',
        'assert:',
        '- {target: stdout, must: [{contain: ["shown  set"]}]}',
      ),
    })
    const env = { SHOWN: 'shown', HIDDEN: 'hidden', SPEC_RUNNER_ENV_ALLOWLIST: 'SHOWN,PATH' }
    expect(ran([], { env }).verdicts).toEqual({ A: 'pass' })
  })

  test('[spec.8.setup-files] find their files in a folder that is removed afterwards', () => {
    mkdirSync(join(project.folder, 'tmp'))
    given({
      'a.spec.md':
        cli(
          'A',
          sh('cat a/b.txt'),
          '  cwd: temp',
          '  setup_files: [{path: a/b.txt, text: here}]',
          'assert:',
          '- {target: stdout, must: [{contain: [here]}]}',
        ) + cli('B', '"true"', '  setup_files: [{path: ../../x, text: x}]'),
    })
    const { verdicts } = ran([], { env: { TMPDIR: join(project.folder, 'tmp') } })
    expect(verdicts['B']).toMatch(/^schema: .*escapes tmp_path/)
    expect(existsSync(join(project.folder, 'x'))).toBe(false)
    expect(verdicts['A']).toBe('pass')
    expect(readdirSync(join(project.folder, 'tmp'))).toEqual([])
  })

  test('leave nothing of their folder, with any permissions and any depth', () => {
    const temporary = join(project.folder, 'tmp')
    mkdirSync(temporary)
    const deep = 'i=0; while [ $i -lt 30 ]; do mkdir $n && cd $n; i=$((i+1)); done'
    given({
      'a.spec.md':
        cli(
          'A',
          sh('mkdir -p c/d && touch c/d/f && chmod 555 c/d c && chmod 0 c/d'),
          '  cwd: temp',
        ) + cli('B', sh(deep), '  cwd: temp', `  env: {n: ${'d'.repeat(200)}}`),
    })
    for (const path of [project.folders, project.folder, temporary]) chmodSync(path, 0o777)
    const { verdicts } = ran([], { env: { TMPDIR: temporary }, ...nobody })
    expect(verdicts).toEqual({ A: 'pass', B: 'pass' })
    expect(readdirSync(temporary)).toEqual([])
  })

  test('are cleaned up after a timeout', () => {
    const hooked = (id: string, script: string, ...lines: readonly string[]) =>
      cli(id, sh(script), `  hook_after: sh -c 'cat >${id}.hook'`, ...lines)
    given({ 'a.spec.md': hooked('A', 'sleep 600', '  timeout_ms: 2000') })
    expect(ran().verdicts).toEqual({
      A: 'runtime: cli.run timed out after 2000 ms: sh',
    })
    expect(JSON.parse(readFileSync(join(project.folder, 'A.hook'), 'utf8'))).toEqual({
      hook: 'hook_after',
      case_id: 'A',
      kwargs: {},
    })
  })

  test('[spec.8.text-file-path] a text.file cannot leave the root through a link', () => {
    mkdirSync(join(project.folder, 'root/.git'), { recursive: true })
    writeFileSync(join(project.folder, 'secret'), 'secret')
    symlinkSync('../secret', join(project.folder, 'root/link'))
    given({ 'root/a.spec.md': block('id: A', 'type: text.file', 'path: link') })
    expect(ran().verdicts).toEqual({
      A: 'schema: text.file path escapes contract root through a link',
    })
  })

  test('share their prerequisites', () => {
    const step = '{id: s, ref: "#MAKE", exports: {name: {from_target: stdout_path}}}'
    const use = (id: string) =>
      cli(
        id,
        'cat',
        `  chain: {steps: [${step}]}`,
        'argv: ["{{chain.s.name}}"]',
        'assert:',
        '- {target: stdout, must: [{contain: [made]}]}',
      )
    given({
      'a.spec.md':
        use('ONE') + use('TWO') + cli('MAKE', sh('echo x >>count; echo made >out; echo out')),
    })
    expect(ran().verdicts).toEqual({ ONE: 'pass', TWO: 'pass', MAKE: 'pass' })
    expect(readFileSync(join(project.folder, 'count'), 'utf8')).toBe('x\n')
  })

  test('end with the run when it is asked to stop, and their folders are removed', async () => {
    mkdirSync(join(project.folder, 'tmp'))
    const pid = join(project.folder, 'pid')
    given({
      'a.spec.md':
        cli('A', sh('echo $$ >pid.new; mv pid.new pid; sleep 600'), '  setup_files: [{path: x}]') +
        cli('B', sh('touch begun')),
    })
    const child = spawn(process.execPath, [main, 'spec', 'run', '--jobs', '1', '--json'], {
      cwd: project.folder,
      env: { ...project.env, TMPDIR: join(project.folder, 'tmp') },
    })
    let stdout = ''
    child.stdout.on('data', text => {
      stdout += text
    })
    const closed = once(child, 'close')
    await waitFor(() => existsSync(pid))
    child.kill('SIGINT')
    expect((await closed)[0]).toBe(1)
    // An interrupted case has no verdict.
    const { results, notRun, result } = JSON.parse(stdout)
    expect([results, notRun, result]).toEqual([[], 2, 'rejected'])
    expect(isAlive(readFileSync(pid, 'utf8').trim())).toBe(false)
    expect(existsSync(join(project.folder, 'begun'))).toBe(false)
    expect(readdirSync(join(project.folder, 'tmp'))).toEqual([])
  })
})
