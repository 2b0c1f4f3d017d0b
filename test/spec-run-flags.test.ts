/** Flags of `premath spec run`: which cases, how often, and what is reported of them. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, describe, expect, test } from 'vitest'
import { jsonSchemas } from '../src/wire/index.ts'
import type { SpecCaseResult, SpecReport } from '../src/wire/spec/spec-report.ts'
import { aProject } from './a-project.ts'
import { block } from './a-spec-run.ts'
import { Terminal } from './a-terminal.ts'
import { main } from './built-command.ts'

const project = aProject()
const reportValid = new Ajv2020({ strict: false }).compile(
  jsonSchemas()['premath.spec.report.v1'] as object,
)

function given(documents: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(documents)) {
    const path = join(project.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    // Whole at once: somebody may be watching.
    writeFileSync(`${path}~`, text)
    renameSync(`${path}~`, path)
  }
}

const sh = (id: string, script: string, ...lines: readonly string[]) =>
  block(
    `id: ${id}`,
    'type: cli.run',
    'harness:',
    `  entrypoint: [sh, -c, ${JSON.stringify(script)}]`,
    ...lines,
  )
const after = (...refs: readonly string[]) =>
  `  chain: {steps: [${refs.map((ref, at) => `{id: s${at}, ref: "${ref}"}`).join(', ')}]}`

function isReport(json: unknown): SpecReport {
  reportValid(json)
  expect(reportValid.errors ?? []).toEqual([])
  return json as SpecReport
}

/** The report, which must be as its schema says. */
function ran(args: readonly string[] = [], setup: Parameters<typeof project.asked>[1] = {}) {
  const { status, stderr, json } = project.asked(['spec', 'run', ...args], setup)
  const report = isReport(json)
  return { status, stderr, report, ids: report.results.map(({ id }) => id) }
}

const counts = ({ total, passed, failed, notRun, flaky }: SpecReport) => ({
  total,
  passed,
  failed,
  notRun,
  flaky,
})

/** Fails as long as a file is missing. */
const needs = (id: string, ...lines: readonly string[]) => sh(id, `test -e ${id}.ok`, ...lines)

describe.each(['in a project', 'without one'])('--failed, %s', where => {
  const begin = () => where === 'in a project' && mkdirSync(join(project.folder, '.premath'))
  const failed = (...more: readonly string[]) => ran(['--failed', ...more])
  const noteOf = (cases: string) =>
    `note: nothing is known of ${cases} here, so that is run beside what failed\n`

  test('runs the last failures, and earlier failures that were not run since', () => {
    begin()
    given({
      'a.spec.md': needs('A') + needs('B') + sh('C', 'true'),
      'docs/d.spec.md': needs('D'),
    })
    expect(ran().ids).toEqual(['A', 'B', 'C', 'D'])
    // A project is a contract root; without one, the folder of the document is.
    given({ 'A.ok': '', 'D.ok': '', 'docs/D.ok': '' })
    expect(failed('--filter', 'B').ids).toEqual(['B'])
    expect(failed().ids).toEqual(['A', 'B', 'D'])
    expect(failed()).toMatchObject({ ids: ['B'], status: 1, stderr: '' })
    given({ 'B.ok': '' })
    expect(ran(['--filter', 'B']).status).toBe(0)
    expect(project.premath(['spec', 'run', '--failed'])).toEqual({
      status: 0,
      stdout: 'No case failed last time, so nothing runs.\n',
      stderr: '',
    })
    expect(failed().report.total).toBe(0)
  })

  test('without a cache says so, and runs all', () => {
    begin()
    given({ 'a.spec.md': sh('A', 'true') + sh('B', 'true') })
    const unknown = failed()
    expect(unknown.ids).toEqual(['A', 'B'])
    expect(unknown.stderr).toBe('note: nothing is known of a last run here, so every case is run\n')
    expect(failed()).toMatchObject({ ids: [], status: 0 })
  })

  test('remembers failures in an unreadable part of a document', () => {
    begin()
    given({ 'a.spec.md': needs('A') + needs('B') })
    ran()
    given({ 'a.spec.md': needs('A') + needs('B').replace('type', '\ttype') })
    expect(failed()).toMatchObject({ ids: ['A'], status: 2 })
    given({ 'a.spec.md': needs('A') + needs('B') })
    expect(failed().ids).toEqual(['A', 'B'])
  })

  test('forgets removed cases and documents, and runs them when they are back', () => {
    begin()
    given({ 'a.spec.md': needs('A') + needs('B'), 'b.spec.md': needs('C') })
    ran()
    given({ 'a.spec.md': needs('B') })
    rmSync(join(project.folder, 'b.spec.md'))
    expect(failed().ids).toEqual(['B'])
    given({ 'a.spec.md': needs('A') + needs('B'), 'b.spec.md': needs('C') })
    expect(failed()).toMatchObject({ ids: ['A', 'B', 'C'], stderr: noteOf('2 cases') })
  })

  test('runs new cases: another document, another id, another file', () => {
    begin()
    given({ 'a.spec.md': sh('A', 'true'), 'b.spec.md': needs('B') })
    expect(ran(['a.spec.md']).status).toBe(0)
    expect(failed()).toMatchObject({ ids: ['B'], status: 1, stderr: noteOf('1 case') })
    given({ 'b.spec.md': needs('C') })
    expect(failed()).toMatchObject({ ids: ['C'], status: 1 })
    renameSync(join(project.folder, 'b.spec.md'), join(project.folder, 'c.spec.md'))
    expect(failed()).toMatchObject({ ids: ['C'], status: 1 })
    given({ 'C.ok': '' })
    expect(failed()).toMatchObject({ ids: ['C'], status: 0, stderr: '' })
    expect(failed()).toMatchObject({ ids: [], status: 0 })
  })

  test('runs cases without a verdict after a run that ended early', () => {
    begin()
    const interrupts = sh('B', 'test -e B.ok || { kill -INT $PPID; exec sleep 1000; }')
    given({ 'a.spec.md': sh('A', 'true') + interrupts + sh('C', 'true') })
    expect(ran(['--jobs', '1'], { isSpawned: true }).status).toBe(1)
    given({ 'B.ok': '' })
    expect(failed()).toMatchObject({ ids: ['B', 'C'], status: 0 })
    given({ 'd.spec.md': needs('D') + needs('E') })
    expect(ran(['d.spec.md', '--jobs', '1', '--fail-fast']).report.notRun).toBe(1)
    given({ 'D.ok': '' })
    expect(failed()).toMatchObject({ ids: ['D', 'E'], status: 1 })
  })

  test('takes the worse verdict of two cases with one id', () => {
    begin()
    given({ 'a.spec.md': sh('A', 'true') + sh('A', 'true') })
    expect(ran().status).toBe(1)
    expect(failed()).toMatchObject({ ids: ['A', 'A'], status: 1 })
  })
})

describe('the cache of failed cases', () => {
  const cache = () => join(project.folder, '.premath/cache/spec-last.json')

  test.each([
    '',
    '{',
    '[]',
    '{"schema":"spec.last.v2","documents":{"a":1}}',
    '{"schema":"spec.last.v2","documents":{"a":{"failed":[]}}}',
    '{"schema":"other"}',
  ])('is rewritten by the run if it says %j', text => {
    given({ '.premath/cache/spec-last.json': text, 'a.spec.md': needs('A') + sh('B', 'true') })
    const { ids, stderr } = ran(['--failed'])
    expect(ids).toEqual(['A', 'B'])
    expect(stderr).toContain('spec-last.json cannot be read, so every case is run')
    expect(ran(['--failed'])).toMatchObject({ ids: ['A'], stderr: '' })
  })

  test('that cannot be written is a warning, and changes nothing else', () => {
    given({ '.premath/cache': 'a file', 'a.spec.md': sh('A', 'true') })
    const { status, stderr, ids } = ran()
    expect({ status, ids }).toEqual({ status: 0, ids: ['A'] })
    expect(stderr).toMatch(/^warning: the verdicts could not be stored for --failed: /)
  })

  test('is ignored by git, and written only if it changed', () => {
    mkdirSync(join(project.folder, '.premath'))
    given({ 'a.spec.md': needs('A') + sh('B', 'true') })
    ran()
    expect(JSON.parse(readFileSync(cache(), 'utf8'))).toEqual({
      schema: 'spec.last.v2',
      documents: { [join(project.folder, 'a.spec.md')]: { failed: ['A'], good: ['B'] } },
    })
    expect(readdirSync(dirname(cache())).sort()).toEqual(['.gitignore', 'spec-last.json'])
    const spaced = `${readFileSync(cache(), 'utf8')}\n`
    writeFileSync(cache(), spaced)
    ran()
    expect(readFileSync(cache(), 'utf8')).toBe(spaced)
  })
})

describe('--shard', () => {
  const documents = {
    'a.spec.md': ['A', 'B', 'C'].map(id => sh(id, 'true')).join('') + sh('D', 'true', after('#A')),
  }

  test('runs a part; all parts together are all cases, and prerequisites run with their case', () => {
    given(documents)
    const parts = [1, 2, 3].map(index => ran(['--shard', `${index}/3`, '--jobs', '1']))
    expect(parts.map(({ ids }) => ids)).toEqual([['A', 'B'], ['C'], ['D']])
    expect(parts[2]?.report.results[0]?.chain).toMatchObject([{ ref_case_id: 'A' }])
    expect(parts[2]?.report.shard).toEqual({ index: 3, count: 3 })
  })

  test('without a case passes, and says so', () => {
    given(documents)
    expect(project.premath(['spec', 'run', '--shard', '9/9'])).toEqual({
      status: 0,
      stdout: 'Shard 9/9 contains none of 4 cases.\n',
      stderr: '',
    })
  })

  test.each(['0/3', '4/3', '3', 'x', '1/0', '1/2/3', ''])('%j is a mistake', text => {
    given(documents)
    const { status, stderr, stdout } = project.premath(['spec', 'run', `--shard=${text}`])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('Pass --shard 2/5')
  })
})

/** Counts its runs in a file, and fails the first so many times. */
const failsAtFirst = (id: string, times: number, ...lines: readonly string[]) =>
  sh(id, `echo x >>${id}.n; test $(wc -l <${id}.n) -gt ${times}`, ...lines)
const runsOf = (id: string) => readFileSync(join(project.folder, `${id}.n`), 'utf8').length / 2
const attemptsOf = ({ attempts = [] }: SpecCaseResult) => attempts.map(({ status }) => status)

describe('--retry', () => {
  const documents = {
    'a.spec.md':
      failsAtFirst('STEADY', 0) +
      failsAtFirst('FLAKY', 2, after('#STEADY')) +
      failsAtFirst('BROKEN', 99) +
      block('id: WRONG', 'type: cli.run', 'harness: {entrypont: x}'),
  }

  test('marks a case that passes on retry as flaky, with all attempts; an invalid case is not retried', () => {
    given(documents)
    const { status, report } = ran(['--retry', '3'])
    expect(status).toBe(1)
    expect(counts(report)).toEqual({ total: 4, passed: 2, failed: 2, notRun: 0, flaky: 1 })
    const [steady, flaky, broken, wrong] = report.results as [
      SpecCaseResult,
      SpecCaseResult,
      SpecCaseResult,
      SpecCaseResult,
    ]
    expect([steady.attempts, steady.flaky]).toEqual([undefined, undefined])
    expect([attemptsOf(flaky), flaky.flaky, flaky.status]).toEqual([
      ['fail', 'fail', 'pass'],
      true,
      'pass',
    ])
    expect(flaky.attempts?.map(({ message }) => message)).toEqual([
      expect.stringContaining('exit_code'),
      expect.stringContaining('exit_code'),
      null,
    ])
    expect([attemptsOf(broken), broken.flaky]).toEqual([
      ['fail', 'fail', 'fail', 'fail'],
      undefined,
    ])
    expect([attemptsOf(wrong), wrong.category]).toEqual([[], 'schema'])
    // Once for all, and once for each retry of the case that needs it.
    expect(runsOf('STEADY')).toBe(3)
  })

  test('is shown on the page, and a flaky case counts as passed', () => {
    given({ 'a.spec.md': failsAtFirst('FLAKY', 1) + sh('B', 'true') })
    const { status, stdout } = project.premath(['spec', 'run', '--retry', '1'])
    expect(status).toBe(0)
    expect(stdout.replace(/in [\d.]+ s/, 'in T s')).toBe(
      [
        'FLAKY FLAKY  failed 1 of 2 times',
        '  [case_id=FLAKY] exit_code expected=0 actual=1',
        '2 passed, 0 failed, 1 flaky in T s',
        '',
      ].join('\n'),
    )
    expect(ran(['--failed']).ids).toEqual([])
  })
})

describe('--repeat', () => {
  test('runs each case that many times, prerequisites once each time; one failure fails it', () => {
    given({
      'a.spec.md':
        failsAtFirst('SEED', 0) +
        failsAtFirst('A', 1, after('#SEED')) +
        failsAtFirst('B', 0, after('#SEED')),
    })
    const { status, report } = ran(['--repeat', '4', '--jobs', '1'])
    expect([status, counts(report)]).toEqual([
      1,
      { total: 3, passed: 2, failed: 1, notRun: 0, flaky: 1 },
    ])
    expect(report.results.map(attemptsOf)).toEqual([
      ['pass', 'pass', 'pass', 'pass'],
      ['fail', 'pass', 'pass', 'pass'],
      ['pass', 'pass', 'pass', 'pass'],
    ])
    expect(['SEED', 'A', 'B'].map(runsOf)).toEqual([4, 4, 4])
    const { stdout } = project.premath(['spec', 'run', '--repeat', '2', '--filter', 'SEED'])
    expect(stdout).toMatch(/^1 passed, 0 failed in/)
  })

  test.each([
    [['--repeat', '0'], '--repeat must be 1 to 10000, not 0'],
    [['--repeat', '10001'], 'Pass 1 to 10000.'],
    [['--retry', '10001'], 'Pass 0 to 10000.'],
    [['--retry', 'x'], '--retry'],
    [['--repeat', '2', '--retry', '1'], 'Pass one of them.'],
  ])('%j is a mistake', (args, words) => {
    given({ 'a.spec.md': sh('A', 'true') })
    const { status, stderr } = project.premath(['spec', 'run', ...args])
    expect(status).toBe(2)
    expect(stderr).toContain(words)
  })
})

/** One that ended and that nobody has asked about yet is not. */
function isAlive(pid: string): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'utf8'))
}

test.each(['run', 'conform'])('spec %s with 0 jobs is a mistake', command => {
  given({ 'a.spec.md': sh('A', 'touch ran') })
  const { status, stderr } = project.premath(['spec', command, '--jobs', '0'])
  expect([status, existsSync(join(project.folder, 'ran'))]).toEqual([2, false])
  expect(stderr).toContain('--jobs must be at least 1, not 0')
})

test('--fail-fast stops running cases; undecided cases are reported as not run', () => {
  given({
    'a.spec.md':
      sh('LONG', 'echo $$ >pid; exec sleep 1000', '  timeout_ms: 600000') +
      sh('FAILS', 'until test -s pid; do sleep 0.01; done; exit 1') +
      sh('LATER', 'touch begun'),
  })
  const { status, report, ids } = ran(['--fail-fast', '--jobs', '2'])
  expect({ status, ids, ...counts(report) }).toEqual({
    status: 1,
    ids: ['FAILS'],
    total: 3,
    passed: 0,
    failed: 1,
    notRun: 2,
    flaky: undefined,
  })
  expect(isAlive(readFileSync(join(project.folder, 'pid'), 'utf8').trim())).toBe(false)
  expect(existsSync(join(project.folder, 'begun'))).toBe(false)
  expect(project.premath(['spec', 'run', '--fail-fast', '--filter', 'FAILS']).stdout).not.toContain(
    'not run',
  )
})

describe('--profile', () => {
  test('reports the time by phase and by case, including prerequisites', () => {
    given({
      'a.spec.md': Array.from({ length: 12 }, (_, at) => sh(`C${at}`, 'true', after('#C0')))
        .join('')
        .replace(after('#C0'), '  timeout_ms: 60000'),
    })
    const { report } = ran(['--profile', '--filter', 'C11'])
    const { profile } = report
    expect(profile?.slowest.map(({ id }) => id).sort()).toEqual(['C0', 'C11'])
    for (const one of profile?.slowest ?? []) {
      expect(one.ownMs).toBeCloseTo(one.compilingMs + one.effectsMs + one.assertionsMs, 1)
      expect(one.effectsMs).toBeGreaterThan(0)
    }
    expect(profile?.readingMs).toBeGreaterThan(0)
    const { profile: all } = ran(['--profile']).report
    expect(all?.slowest).toHaveLength(10)
    const own = all?.slowest.map(({ ownMs }) => ownMs) ?? []
    expect(own).toEqual(own.toSorted((a, b) => b - a))
    expect(ran().report).not.toHaveProperty('profile')
  })

  test.each([40, 80, 200])('is a table that fits %i columns', columns => {
    const id = 'A-CASE-WITH-QUITE-A-LONG-NAME'
    given({ 'some/folder/with/a/long/name.spec.md': sh(id, 'true') })
    const env = { COLUMNS: String(columns) }
    const { stdout } = project.premath(['spec', 'run', '--profile'], { env })
    const lines = stdout.split('\n')
    const head = lines.findIndex(line => line.startsWith('phase'))
    expect(lines[head + 1]).toMatch(/^reading +[\d.]+ +\d+ %$/)
    expect(lines.filter(line => line.startsWith('case '))).toHaveLength(1)
    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(columns)
  })
})

describe('--trace', () => {
  const documents = {
    'a.spec.md':
      sh(
        'A',
        'echo out; echo $SECRET_WORD; echo err >&2; exit 3',
        '  env: {OTHER: "a longer value"}',
        after('#B'),
        'exit_code: 3',
        'assert:',
        '- {target: stdout, must: [{contain: [out]}, {can: [{contain: [none]}, {contain: [out]}]}]}',
        '- {target: stderr, must: [{contain: [absent]}]}',
      ) +
      block(
        'id: B',
        'type: cli.run',
        'harness: {entrypoint: [echo, "-n", "a longer value"], env: {OTHER: "a longer value"}}',
        'assert: [{target: stdout, must: [{contain: [longer]}]}]',
      ),
  }
  const env = { SECRET_WORD: 'hunter2!' }

  test('lists the chain, commands with their end, and predicates with their subjects', () => {
    given(documents)
    const { report } = ran(['--trace', '--jobs', '1'], { env })
    const [a, b] = report.results
    expect(a?.trace).toEqual({
      chain: [
        {
          stepId: 's0',
          caseId: 'B',
          document: '/a.spec.md',
          status: 'pass',
          waitedMs: expect.any(Number),
        },
      ],
      commands: [
        {
          name: 'cli.run',
          words: ['sh', '-c', 'echo out; echo $SECRET_WORD; echo err >&2; exit 3'],
          exitCode: 3,
          durationMs: expect.any(Number),
          stdoutBytes: 13,
          stderrBytes: 4,
        },
      ],
      requests: [],
      predicates: [
        ['exit_code', 'exit_code', 'eq', 'holds', '3'],
        ['assert[0].must[0]', 'stdout', 'contain', 'holds', '"out\\n$SECRET_WORD\\n"'],
        ['assert[0].must[1].can[0]', 'stdout', 'contain', 'fails', '"out\\n$SECRET_WORD\\n"'],
        ['assert[0].must[1].can[1]', 'stdout', 'contain', 'holds', '"out\\n$SECRET_WORD\\n"'],
        ['assert[1].must[0]', 'stderr', 'contain', 'fails', '"err\\n"'],
      ].map(([assertPath, target, op, verdict, subject]) => ({
        assertPath,
        target,
        op,
        verdict,
        subject,
      })),
    })
    expect(b?.trace?.commands[0]?.words).toEqual(['echo', '-n', '$OTHER'])
    expect(JSON.stringify(report)).not.toContain('hunter2')
    expect(JSON.stringify(b?.trace)).not.toContain('a longer value')
  })

  test('is on the page too, one line each, without values of the environment', () => {
    given(documents)
    const setup = { env: { ...env, COLUMNS: '100' } }
    const { stdout } = project.premath(['spec', 'run', '--trace', '--jobs', '1'], setup)
    const lines = stdout.replace(/[\d.]+ ms/g, 'T ms').split('\n')
    expect(lines.slice(0, 8)).toEqual([
      'A  a.spec.md:2  fail  T ms',
      '  chain s0: /a.spec.md#B  pass  T ms',
      expect.stringMatching(/^ {2}cli.run {2}exit 3 {2}T ms {2}stdout 13 B, stderr 4 B {2}\["sh"/),
      '  holds  exit_code  eq on exit_code: 3',
      '  holds  assert[0].must[0]  contain on stdout: "out\\n$SECRET_WORD\\n"',
      '  fails  assert[0].must[1].can[0]  contain on stdout: "out\\n$SECRET_WORD\\n"',
      '  holds  assert[0].must[1].can[1]  contain on stdout: "out\\n$SECRET_WORD\\n"',
      '  fails  assert[1].must[0]  contain on stderr: "err\\n"',
    ])
    expect(stdout).not.toContain('hunter2')
  })

  test('lists the requests with their status, without secrets', () => {
    const server = JSON.stringify(
      "require('node:http').createServer((q, r) => q.url.startsWith('/old') ? r.writeHead(302, {Location: '/new'}).end() : r.end('hello')).listen(0, '127.0.0.1', function () { console.log('port', this.address().port) })",
    )
    given({
      'a.spec.md':
        block(
          'id: LIVE',
          'type: api.http',
          'harness:',
          '  api_http:',
          '    mode: live',
          '    scenario:',
          `      setup: {command: [node, -e, ${server}], ready_output: {regex: 'port (\\d+)', as: port}}`,
          'requests:',
          '- {id: a, method: GET, url: "http://127.0.0.1:{{port}}/old?k={{var.TOKEN}}"}',
          '- {id: b, method: POST, url: "http://127.0.0.1:1/", body_text: x}',
        ) + block('id: FILE', 'type: api.http', 'request: {method: GET, url: /a.txt}'),
      'a.txt': 'abc',
    })
    const setup = { env: { TOKEN: 'hunter2!', COLUMNS: '200' } }
    const { report } = ran(['--trace', '--secret', 'TOKEN'], setup)
    const [live, file] = report.results
    const row = (name: string, method: string, url: RegExp | string, more: object) => ({
      ...{ name, method, url: expect.stringMatching(url), durationMs: expect.any(Number) },
      ...more,
    })
    expect(live?.trace?.requests).toEqual([
      row('requests[0]', 'GET', /:\d+\/old\?k=\$TOKEN$/, { status: 302, bodyBytes: 0 }),
      row('requests[0]', 'GET', /:\d+\/new$/, { status: 200, bodyBytes: 5 }),
      row('requests[1]', 'POST', '^http://127.0.0.1:1/$', {
        ...{ status: null, bodyBytes: 0, why: expect.stringMatching(/\w/) },
      }),
    ])
    expect(file?.trace?.requests).toEqual([
      row('request', 'GET', '/a.txt', { status: 200, bodyBytes: 3 }),
    ])
    expect(JSON.stringify(report)).not.toContain('hunter2')
    const { stdout } = project.premath(['spec', 'run', '--trace', '--secret', 'TOKEN'], setup)
    expect(stdout.replace(/[\d.]+ ms|:\d+/g, 'N')).toContain(
      '  requests[0]  status 302  N  body 0 B  GET http://127.0.0.1N/old?k=$TOKEN\n',
    )
    expect(stdout).toContain('  requests[1]  no answer: ')
    expect(stdout).not.toContain('hunter2')
  })

  test('gives the reason for commands without a result, and shortens long values', () => {
    given({
      'a.spec.md':
        block('id: A', 'type: cli.run', 'harness: {entrypoint: no-such-program-here}') +
        sh('B', 'yes | head -c 9999', 'assert: [{target: stdout, must: [{contain: [y]}]}]'),
    })
    const [a, b] = ran(['--trace']).report.results
    expect(a?.trace?.commands[0]).toMatchObject({
      exitCode: null,
      why: expect.stringContaining('could not start no-such-program-here'),
    })
    expect(b?.trace?.predicates[1]?.subject.length).toBeLessThan(300)
    expect(b?.trace?.predicates[1]?.subject).toContain('characters')
  })
})

describe('--watch', () => {
  let running: ChildProcess | undefined
  afterEach(() => running?.kill('SIGKILL'))

  /** The command as it goes on; each report is a line. */
  function watching(...args: readonly string[]) {
    const child = spawn(process.execPath, [main, 'spec', 'run', '--watch', ...args], {
      cwd: project.folder,
      env: project.env,
    })
    running = child
    const output = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', text => {
      output.out += text
    })
    child.stderr.setEncoding('utf8').on('data', text => {
      output.err += text
    })
    const closed = once(child, 'close')
    let read = 0
    return {
      output,
      /** The next report, whenever it comes. */
      async next() {
        const lines = () => output.out.split('\n').slice(0, -1)
        await expect.poll(() => lines().length).toBeGreaterThan(read)
        const report = isReport(JSON.parse(lines()[read++] ?? ''))
        const verdicts = report.results.map(({ id, status }) => `${id} ${status}`)
        return { changed: report.changed, verdicts, report }
      },
      says: (text: string | RegExp) => expect.poll(() => output.out).toMatch(text),
      /** Ctrl-C, and what is left: the exit code, and reports that nobody read. */
      async end(signal: NodeJS.Signals = 'SIGINT') {
        child.kill(signal)
        const [status] = await closed
        return { status, unread: output.out.split('\n').length - 1 - read, err: output.err }
      },
    }
  }
  const text = (id: string, path: string, ...lines: readonly string[]) =>
    block(
      `id: ${id}`,
      'type: text.file',
      `path: ${path}`,
      'assert: [{target: text, must: [{contain: [good]}]}]',
      ...lines,
    )

  test('runs all, then the cases that a change affects: named files, documents, new ones', async () => {
    mkdirSync(join(project.folder, '.git'))
    given({
      'a.txt': 'good',
      'b.txt': 'good',
      'a.spec.md': text('A', 'a.txt') + text('B', 'b.txt'),
      'c.spec.md': text('C', 'b.txt'),
    })
    const watch = watching('--json')
    expect(await watch.next()).toMatchObject({ verdicts: ['A pass', 'B pass', 'C pass'] })
    given({ 'a.txt': 'bad' })
    expect(await watch.next()).toMatchObject({ changed: ['a.txt'], verdicts: ['A fail'] })
    given({ 'b.txt': 'bad' })
    expect(await watch.next()).toMatchObject({ changed: ['b.txt'], verdicts: ['B fail', 'C fail'] })
    given({ 'c.spec.md': text('C', 'a.txt') })
    expect(await watch.next()).toMatchObject({ changed: ['c.spec.md'], verdicts: ['C fail'] })
    given({ 'a.txt': 'good' })
    expect(await watch.next()).toMatchObject({ verdicts: ['A pass', 'C pass'] })
    given({ 'new/d.spec.md': text('D', 'b.txt') })
    expect(await watch.next()).toMatchObject({ changed: ['new/d.spec.md'], verdicts: ['D fail'] })
    rmSync(join(project.folder, 'b.txt'))
    expect(await watch.next()).toMatchObject({ verdicts: ['B fail', 'D fail'] })
    given({ 'b.txt': 'good', 'unrelated.txt': 'x', 'README.md': '# x' })
    expect(await watch.next()).toMatchObject({ changed: ['b.txt'], verdicts: ['B pass', 'D pass'] })
    expect(await watch.end()).toEqual({ status: 0, unread: 0, err: '' })
  })

  test('follows chains, libraries and scripts, also in other folders', async () => {
    mkdirSync(join(project.folder, '.git'))
    const library = (word: string) =>
      block(
        'id: LIB',
        'type: spec_lang.library',
        `definitions: {public: {good: {fn: [[s], {std.string.contains: [{var: s}, ${word}]}]}}}`,
      )
    given({
      'seed.txt': 'good',
      'lib/words.md': library('good'),
      'tools/run.sh': 'exit 0',
      'other/seed.spec.md': text('SEED', 'seed.txt'),
      'specs/a.spec.md':
        block('id: LAST', 'type: cli.run', 'harness:', '  entrypoint: sh tools/run.sh') +
        sh('HOST', 'true', after('other/seed.spec.md#SEED').replace('"other', '"../other')) +
        block(
          'id: USER',
          'type: text.file',
          'path: seed.txt',
          'harness: {spec_lang: {includes: [/lib/words.md]}}',
          'assert: [{target: text, must: [{evaluate: [{call: [{var: good}, {var: subject}]}]}]}]',
        ),
    })
    const watch = watching('specs', '--json', '--jobs', '1')
    expect((await watch.next()).verdicts).toEqual(['LAST pass', 'HOST pass', 'USER pass'])
    given({ 'tools/run.sh': 'exit 1' })
    expect((await watch.next()).verdicts).toEqual(['LAST fail'])
    given({ 'lib/words.md': library('better') })
    expect((await watch.next()).verdicts).toEqual(['USER fail'])
    given({ 'other/seed.spec.md': text('SEED', 'gone.txt') })
    expect((await watch.next()).verdicts).toEqual(['HOST fail'])
    given({ 'gone.txt': 'good' })
    expect((await watch.next()).verdicts).toEqual(['HOST pass'])
    expect(await watch.end()).toEqual({ status: 1, unread: 0, err: '' })
  })

  test('checks an id again when a document with the same id appears or disappears', async () => {
    given({ 'a.txt': 'good', 'b.spec.md': text('A', 'a.txt'), 'c.spec.md': text('C', 'a.txt') })
    const watch = watching('--json', '--jobs', '1')
    expect((await watch.next()).verdicts).toEqual(['A pass', 'C pass'])
    given({ 'a.spec.md': text('A', 'a.txt') })
    const taken = await watch.next()
    expect(taken).toMatchObject({ changed: ['a.spec.md'], verdicts: ['A pass', 'A fail'] })
    expect(taken.report.results[1]).toMatchObject({ file: 'b.spec.md', category: 'schema' })
    rmSync(join(project.folder, 'a.spec.md'))
    expect(await watch.next()).toMatchObject({ changed: ['a.spec.md'], verdicts: ['A pass'] })
    expect(await watch.end()).toEqual({ status: 0, unread: 0, err: '' })
  })

  test('continues when a document becomes unreadable, and exits 2 while it is', async () => {
    given({ 'a.spec.md': text('A', 'a.txt'), 'a.txt': 'good' })
    const watch = watching('--json')
    await watch.next()
    given({ 'a.spec.md': `${text('A', 'a.txt')}${block('id: B', '\ttype: x')}` })
    expect((await watch.next()).report.problems).toHaveLength(1)
    expect((await watch.end()).status).toBe(2)
  })

  test('does not run again for files that the run wrote, or for unchanged content', async () => {
    given({
      'a.spec.md':
        sh('MAKES', 'echo good >made.txt') + text('MADE', 'made.txt', 'harness:', after('#MAKES')),
      'end.txt': 'good',
      'z.spec.md': text('END', 'end.txt'),
    })
    const watch = watching('--json', '--jobs', '1')
    await watch.next()
    // The case is new, so the cache has no result for it.
    expect(await watch.next()).toMatchObject({ changed: ['made.txt'], verdicts: ['MADE pass'] })
    given({ 'end.txt': 'bad' })
    expect(await watch.next()).toMatchObject({ changed: ['end.txt'], verdicts: ['END fail'] })
    expect(await watch.end('SIGTERM')).toEqual({ status: 1, unread: 0, err: '' })
  })

  test('prints the changes, their results and the remaining failures in plain lines', async () => {
    given({ 'a.txt': 'good', 'a.spec.md': text('A', 'a.txt') + sh('B', 'exit 1') })
    const watch = watching()
    await watch.says(/Watching 2 files\. Press Ctrl-C to stop\.\n$/)
    given({ 'a.txt': 'good too' })
    await watch.says(
      /\n\d\d:\d\d:\d\d changed: a\.txt\n1 passed, 0 failed in [\d.]+ s\n1 other case still failing\n$/,
    )
    expect((await watch.end()).status).toBe(1)
    expect(watch.output.out).not.toContain('\u001b')
  })

  test('stops running cases when a document changes, and starts again with the undecided ones', async () => {
    const waits = sh('WAITS', 'echo $$ >pid; exec sleep 1000', '  timeout_ms: 600000')
    const later = sh('LATER', 'true')
    given({ 'a.spec.md': sh('DONE', 'true'), 'b.spec.md': waits, 'c.spec.md': later })
    const watch = watching('--jobs', '1')
    const pid = join(project.folder, 'pid')
    await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8')).toMatch(/\n/)
    given({ 'b.spec.md': sh('WAITS', 'true') })
    await watch.says('A document changed while its cases ran; they run again.')
    expect(isAlive(readFileSync(pid, 'utf8').trim())).toBe(false)
    await watch.says(/changed: b\.spec\.md\n2 passed, 0 failed/)
    expect((await watch.end()).status).toBe(0)
    expect(watch.output.out).toContain('1 passed, 0 failed, 2 not run')
  })

  test('stops running cases when it is stopped, and leaves nothing behind', async () => {
    given({ 'a.spec.md': sh('A', 'echo $$ >pid; exec sleep 1000', '  timeout_ms: 600000') })
    const watch = watching('--json')
    const pid = join(project.folder, 'pid')
    await expect.poll(() => existsSync(pid) && readFileSync(pid, 'utf8')).toMatch(/\n/)
    const { status } = await watch.end()
    // A stopped case has no verdict, and an unevaluated assertion does not pass.
    expect(status).toBe(1)
    expect(isAlive(readFileSync(pid, 'utf8').trim())).toBe(false)
  })

  test('ends when nobody reads its output', async () => {
    given({ 'a.txt': 'good', 'a.spec.md': text('A', 'a.txt') })
    const watch = watching('--json')
    await watch.next()
    running?.stdout?.destroy()
    let isOver = false
    const closed = once(running as ChildProcess, 'close').then(() => {
      isOver = true
    })
    // It learns of it when it tells of a change.
    for (let change = 0; !isOver; change++) {
      given({ 'a.txt': `good ${change}` })
      await Promise.race([closed, pause(100)])
    }
    expect(running?.exitCode).toBe(0)
  })

  test('is refused at once if no case matches', async () => {
    given({ 'a.spec.md': sh('A', 'true') })
    const { status, stderr } = project.premath(['spec', 'run', '--watch', '--filter', 'nobody'])
    expect(status).toBe(2)
    expect(stderr).toContain('none of 1 cases fits')
    const reported = project.premath(['spec', 'run', '--watch', '--report', 'tap=out.tap'])
    expect(reported).toMatchObject({ status: 2, stdout: '' })
    expect(reported.stderr).toContain('--report cannot be combined with --watch')
  })

  const present = spawnSync('python3', ['-c', 'import pty, termios']).status === 0

  test.skipIf(!present)('on a terminal clears the screen, and says what it watches', async () => {
    given({ 'a.txt': 'good', 'a.spec.md': text('A', 'a.txt') })
    const pseudo = join(import.meta.dirname, 'pseudo-terminal.py')
    const words = [pseudo, '60', '12', process.execPath, main, 'spec', 'run', '--watch']
    const { CI: _, ...env } = project.env
    running = spawn('python3', words, {
      cwd: project.folder,
      env: { ...env, TERM: 'xterm-256color', NO_COLOR: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [input, output] = running.stdio as [Writable, Readable, null, null, null]
    const terminal = new Terminal(60, 12)
    output.setEncoding('utf8').on('data', terminal.write)
    const closed = once(running, 'close')
    const shows = (...lines: readonly string[]) =>
      expect
        .poll(
          () =>
            terminal.all().map(line => line.replace(/[\d.]+ s$/, 'T s').replace(/^[\d:]{8} /, '')),
          { timeout: 50_000, interval: 20 },
        )
        .toEqual([...lines, ''])
    await shows('1 passed, 0 failed in T s', 'Watching 2 files. Press Ctrl-C to stop.')
    given({ 'a.txt': 'good again' })
    await shows(
      'changed: a.txt',
      '1 passed, 0 failed in T s',
      'Watching 2 files. Press Ctrl-C to stop.',
    )
    input.end()
    await closed
  })
})
