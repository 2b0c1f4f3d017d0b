/** The handoff between contexts, by the built command on real files. `npm test` builds first. */

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aProject } from './a-project.ts'

const project = aProject()
const { asked, done, given, premath } = project

const _time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const defaultPath = '.premath/harness_session.json'
const ledgerPath = '.premath/harness_feature_ledger.json'
const at = (path = defaultPath) => join(project.folder, path)
const textAt = (path?: string) => readFileSync(at(path), 'utf8')

function put(path: string, content: string) {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content)
}

const write = (...args: string[]) => done('harness-session', 'write', ...args).session
const bootstrap = (...args: string[]) => done('harness-session', 'bootstrap', ...args)

const nothingKnown = {
  action: 'harness-session.bootstrap',
  bootstrapKind: 'premath.harness.bootstrap.v1',
  featureClosureComplete: null,
  featureCount: null,
  featureLedgerRef: ledgerPath,
  instructionRefs: [],
  issuesPath: null,
  issuesSnapshotRef: null,
  lineageRefs: [],
  mode: 'fresh',
  nextFeatureId: null,
  nextStep: null,
  resumeIssueId: null,
  sessionId: null,
  sessionRef: defaultPath,
  startedAt: null,
  stoppedAt: null,
  summary: null,
  updatedAt: null,
  witnessRefs: [],
}

test('the text output shows the mode, the session and its path', () => {
  given()
  expect(premath(['harness-session', 'bootstrap']).stdout).toBe(
    `fresh\n  session  none\n  path     ${defaultPath}\n`,
  )
  const args = ['harness-session', 'write', '--issue-id', 'bd-1', '--next-step', '\u001b[31mrun']
  const { stdout } = premath(args)
  expect(stdout).toMatch(
    /^hs1_\w+_bd-1: stopped\n {2}issue {9}bd-1\n {2}next step {5}\\u001b\[31mrun/,
  )
  expect(premath(['harness-session', 'read']).stdout).toBe(stdout)
})

describe('the place of the session', () => {
  test('is that of the project, from any folder below it', () => {
    given()
    const below = join(project.folder, 'a/b')
    mkdirSync(below, { recursive: true })
    expect(asked(['harness-session', 'write'], { cwd: below }).json.path).toBe(defaultPath)
    expect(existsSync(at())).toBe(true)
    asked(['harness-session', 'write', '--path', 's.json'], { cwd: below })
    expect(existsSync(at('a/b/s.json'))).toBe(true)
  })

  test('is set by the environment, and a flag overrides the environment', () => {
    given()
    const env = { PREMATH_HARNESS_SESSION_PATH: 'workers/1.json' }
    for (const verb of ['write', 'read']) {
      expect(asked(['harness-session', verb], { env }).json.path).toBe('workers/1.json')
    }
    expect(asked(['harness-session', 'bootstrap'], { env }).json).toMatchObject({
      mode: 'resume',
      sessionRef: 'workers/1.json',
    })
    expect(existsSync(at('workers/1.json'))).toBe(true)
    asked(['harness-session', 'write', '--path', 'mine.json'], { env })
    expect(existsSync(at('mine.json'))).toBe(true)
  })

  test('is not behind a link that leads out of the project', () => {
    given()
    symlinkSync(join(project.folders, 'outside.json'), at())
    const { status, stderr } = premath(['harness-session', 'write'])
    expect([status, stderr]).toEqual([3, expect.stringContaining('through a symbolic link')])
    expect(existsSync(join(project.folders, 'outside.json'))).toBe(false)
  })

  test.each([
    ['.premath/issues.jsonl', 'the issue memory itself'],
    ['.premath/policy.json', 'the policy of the project'],
  ])('is not %s', (path, what) => {
    mkdirSync(at('.premath'))
    for (const args of [
      ['harness-session', 'write'],
      ['harness-feature', 'write', '--feature-id', 'a', '--status', 'pending'],
      [
        ...['harness-trajectory', 'append', '--step-id', 's', '--action', 'a'],
        '--result-class',
        'c',
      ],
    ]) {
      const { status, stderr } = premath([...args, '--path', path])
      expect([status, stderr]).toEqual([2, expect.stringContaining(`${path} is ${what}`)])
    }
    expect(existsSync(at(path))).toBe(false)
  })
})

describe('an existing session', () => {
  test('that is absent makes read exit with 2 and a remedy', () => {
    const { status, stderr, json } = asked(['harness-session', 'read'])
    expect(status).toBe(2)
    expect(stderr).toBe(
      `error: the harness session ${defaultPath} does not exist\n  Create it with premath harness-session write --state active, or start fresh with premath harness-session bootstrap.\n`,
    )
    expect(json.error).toMatchObject({ code: 'invalid_input', detail: { path: defaultPath } })
  })

  test('does not pass the refs of one issue to the next', () => {
    given()
    write('--issue-id', 'bd-1', '--witness-ref', 'w', '--instruction-ref', 'i')
    const next = write('--issue-id', 'bd-2', '--instruction-ref', 'j')
    expect(next).toMatchObject({ issueId: 'bd-2', instructionRefs: ['j'] })
    expect(next).not.toHaveProperty('witnessRefs')
  })

  test('keeps the members of another tool', () => {
    given()
    write()
    put(defaultPath, textAt().replace('"schema"', '"theirs": 1.50,\n  "schema"'))
    write('--summary', 's')
    expect(textAt()).toContain('"theirs": 1.50')
  })
})

describe('an unusable session file stays unchanged', () => {
  const newer = '{"schema":2,"sessionKind":"premath.harness.session.v2","sessionId":"x"}'
  test.each([
    [
      'a session of a newer version',
      newer,
      /its schema is 2, and this version of premath supports 1\n {2}A newer version of premath wrote it/,
    ],
    ['half a session', '{"schema":1,"sess', /is not valid: .*line 1/],
    ['nothing', '', /is not valid: .*line 1/],
    ['rows', '{"schema":1}\n{"schema":1}\n', /after the document's end/],
    ['another kind', '{"schema":1,"sessionKind":"y"}', /sessionKind must be "premath/],
  ])('%s', (_, content, message) => {
    given()
    put(defaultPath, content)
    for (const verb of ['read', 'write', 'bootstrap']) {
      const { status, stderr } = premath(['harness-session', verb])
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)])
      expect(stderr).toContain(at())
    }
    expect(textAt()).toBe(content)
  })
})

describe('issue memory', () => {
  const golden = {
    id: 'bd-1',
    title: 'T',
    created_at: '2026-02-23T00:00:00Z',
    updated_at: '2026-02-23T00:00:00Z',
  }
  const goldenRef = 'iss1_0baf41a2497fd35159a0585bb7ea56455bbed69094f3ac5f969724d8b38aa549'

  test('is another one if named, and none if the name is blank', () => {
    put('other.jsonl', `${JSON.stringify(golden)}\n`)
    expect(write('--issues', ' other.jsonl ')).toMatchObject({
      issuesPath: 'other.jsonl',
      issuesSnapshotRef: goldenRef,
    })
    const none = write('--issues', ' ')
    expect(none.issuesPath).toBe('')
    expect(none).not.toHaveProperty('issuesSnapshotRef')
    expect(bootstrap().issuesPath).toBeNull()
  })
})

describe('the feature ledger', () => {
  const feature = (id: string, status: string) =>
    asked(['harness-feature', 'write', '--feature-id', id, '--status', status])

  test('gives a start the next feature', () => {
    given()
    feature('b', 'pending')
    feature('a', 'in_progress')
    expect(bootstrap()).toEqual({
      ...nothingKnown,
      featureClosureComplete: false,
      featureCount: 2,
      nextFeatureId: 'a',
    })
    expect(premath(['harness-session', 'bootstrap']).stdout).toContain('next feature  a\n')
  })

  test('that is rejected exits 1, with its classes', () => {
    given()
    feature('a', 'in_progress')
    // By hand, because a write of such a row is refused.
    const path = join(project.folder, ledgerPath)
    const ledger = JSON.parse(readFileSync(path, 'utf8'))
    const [row] = ledger.features
    const features = [row, { ...row, featureId: 'b' }]
    writeFileSync(path, JSON.stringify({ ...ledger, features }))
    const classes = ['harness_feature_ledger.in_progress.non_contractible']
    const { status, stderr, json } = asked(['harness-session', 'bootstrap'])
    expect([status, json]).toEqual([
      1,
      {
        action: 'harness-session.bootstrap',
        diagnostic: `the feature ledger ${ledgerPath} is rejected: ${classes[0]}`,
        failureClasses: classes,
        featureLedgerRef: ledgerPath,
        remedy: expect.stringMatching(/\.$/),
        error: { code: json.failureClasses[0], message: json.diagnostic, hint: json.remedy },
        exitCode: 1,
        result: 'rejected',
        sessionRef: defaultPath,
      },
    ])
    expect(stderr).toBe(`error: ${json.diagnostic}\n  ${json.remedy}\n`)
  })

  test('that cannot be read is exit 2', () => {
    given()
    put(ledgerPath, '{')
    const { status, stderr } = premath(['harness-session', 'bootstrap'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('the feature ledger')])
  })
})

test('an unknown state is bad usage', () => {
  const { status, stderr } = premath(['harness-session', 'write', '--state', 'paused'])
  expect([status, stderr]).toEqual([2, expect.stringContaining('one of active, stopped')])
})

test('help --json names the route of each command', () => {
  expect(done('help', 'harness-session', 'read').opId).toBe('op/harness.session_read')
})
