/** The feature ledger, by the built command on real files. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../src/testing/must-match-shape.ts'
import { FeatureLedger } from '../src/wire/harness/feature-ledger.ts'
import { LedgerCheck } from '../src/wire/harness/ledger-check.ts'
import { aProject } from './a-project.ts'
import { main } from './built-command.ts'

const project = aProject()
const { asked, done, premath } = project

const path = '.premath/harness_feature_ledger.json'
const file = () => join(project.folder, path)
const text = () => readFileSync(file(), 'utf8')
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)

function put(content: string) {
  mkdirSync(dirname(file()), { recursive: true })
  writeFileSync(file(), content)
}

const write = (id: string, status: string, ...args: string[]) =>
  done('harness-feature', 'write', '--feature-id', id, '--status', status, ...args)

const _ledgerOf = (...features: object[]) => ({
  features: features.map(row => ({ ...row, updatedAt: time })),
  ledgerKind: 'premath.harness.feature_ledger.v1',
  schema: 1,
  updatedAt: time,
})

describe('the recorded sequence', () => {
  const _alpha = { featureId: 'alpha', issueId: 'bd-child', status: 'in_progress' }
  const _beta = { featureId: 'beta', status: 'pending', summary: 'second' }
  const refs = (...all: string[]) => all.flatMap(ref => ['--verification-ref', ref])
  const counts = {
    blockedCount: 0,
    closureComplete: false,
    completedCount: 1,
    featureCount: 2,
    inProgressCount: 0,
    pendingCount: 1,
  }
  const _checked = {
    action: 'harness-feature.check',
    checkKind: 'premath.harness.feature_ledger.check.v1',
    errors: [],
    failureClasses: [],
    nextFeatureId: 'beta',
    path,
    requireClosure: false,
    result: 'accepted',
    summary: counts,
  }

  test('complies with the published schemas', () => {
    mustMatchShape(FeatureLedger, write('alpha', 'in_progress', '--session-ref', 's.json').ledger)
    mustMatchShape(FeatureLedger, write('beta', 'completed', ...refs('v'), '--summary', 's').ledger)
    mustMatchShape(FeatureLedger, done('harness-feature', 'read').ledger)
    mustMatchShape(LedgerCheck, done('harness-feature', 'check'))
    put(
      '{"schema":1,"ledgerKind":"premath.harness.feature_ledger.v1","features":[{},{"featureId":"a","status":"x"}]}',
    )
    const { status, json } = asked(['harness-feature', 'check'])
    expect([status, mustMatchShape(LedgerCheck, json).errors.length]).toEqual([1, 4])
  })
})

const twoInProgress = {
  schema: 1,
  ledgerKind: 'premath.harness.feature_ledger.v1',
  updatedAt: '2026-02-22T00:00:00Z',
  features: ['a', 'b'].map(featureId => ({
    featureId,
    status: 'in_progress',
    updatedAt: '2026-02-22T00:00:00Z',
  })),
}

/** The earlier implementation writes such a row, and only its check rejects the ledger. */
describe('departure from the recorded answers: a write that the check would reject', () => {
  const tell = (...args: string[]) => asked(['harness-feature', 'write', ...args])

  test('[linkage.6.feature-write] is refused with its class, and nothing is written', () => {
    write('a', 'in_progress')
    const before = text()
    const { status, stderr, json } = tell('--feature-id', 'b', '--status', 'in_progress')
    expect([status, json.result, json.failureClasses]).toEqual([
      1,
      'rejected',
      ['harness_feature_ledger.in_progress.non_contractible'],
    ])
    expect(stderr).toContain(
      'error: the row of b is refused: at most one feature may be in_progress\n  - harness_feature_ledger.in_progress.non_contractible',
    )
    expect(text()).toBe(before)
  })

  test('[linkage.6.feature-write] is refused for a completed feature until it names its verification', () => {
    const missing = ['harness_feature_ledger.completed_missing_verification_ref']
    const completed = ['--feature-id', 'a', '--status', 'completed']
    expect(tell(...completed)).toMatchObject({ status: 1, json: { failureClasses: missing } })
    expect(existsSync(file())).toBe(false)
    write('a', 'completed', '--verification-ref', 'v')
    expect(tell(...completed, '--verification-ref', '').status).toBe(1)
    expect(premath(['harness-feature', 'check']).status).toBe(0)
  })

  test('[linkage.6.feature-write] may correct a ledger that is rejected already, and notes what is left', () => {
    const third = { ...twoInProgress.features[0], featureId: 'c' }
    put(JSON.stringify({ ...twoInProgress, features: [...twoInProgress.features, third] }))
    expect(tell('--feature-id', 'c', '--status', 'in_progress').status).toBe(1)
    const { status, stderr } = tell('--feature-id', 'c', '--status', 'pending')
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining('note: the row was written, and the ledger is still rejected:\n'),
    ])
    write('b', 'pending')
    expect(premath(['harness-feature', 'check']).status).toBe(0)
  })

  test('[linkage.6.feature-write] by hand makes next exit 1, with its classes', () => {
    put(JSON.stringify(twoInProgress))
    const { status, stderr, json } = asked(['harness-feature', 'next'])
    expect([status, json]).toEqual([
      1,
      {
        action: 'harness-feature.next',
        diagnostic: `the feature ledger ${path} is rejected: harness_feature_ledger.in_progress.non_contractible`,
        failureClasses: ['harness_feature_ledger.in_progress.non_contractible'],
        path,
        remedy: expect.stringMatching(/\.$/),
        error: { code: json.failureClasses[0], message: json.diagnostic, hint: json.remedy },
        exitCode: 1,
        result: 'rejected',
      },
    ])
    expect(stderr).toBe(`error: ${json.diagnostic}\n  ${json.remedy}\n`)
  })
})

describe('the text output', () => {
  test('the ledger is a table that fits, with control characters escaped', () => {
    write('a', 'in_progress', '--issue-id', 'bd-1', '--summary', `\u001b[31m${'long '.repeat(30)}`)
    write('b', 'completed', '--verification-ref', 'v')
    const { stdout } = premath(['harness-feature', 'read'], { env: { COLUMNS: '70' } })
    expect(stdout).toMatch(/^feature {2}status {7}issue {2}verified by {2}summary\n/)
    expect(stdout).toMatch(/\n2 features\n$/)
    expect(stdout).toContain('\\u001b[31m')
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(70)
  })

  test('the check is one line, plus one for each flaw', () => {
    write('a', 'pending')
    const check = (...args: string[]) => premath(['harness-feature', 'check', ...args])
    expect(check()).toEqual({
      status: 0,
      stderr: '',
      stdout: '[harness-feature] OK (features=1, closureComplete=false, nextFeature=a)\n',
    })
    put(text().replace('"pending"', '"completed"'))
    expect(check('--require-closure')).toEqual({
      status: 1,
      stderr: '',
      stdout: [
        '[harness-feature] FAIL (features=1, closureComplete=false, nextFeature=none)',
        '  - harness_feature_ledger.completed_missing_verification_ref feature=a (completed feature requires at least one verificationRef)',
        '  - harness_feature_ledger.closure_incomplete (require-closure set but ledger is not closed)',
        '',
      ].join('\n'),
    })
  })

  test('next is the id alone, or the reason why there is none', () => {
    const next = () => premath(['harness-feature', 'next']).stdout
    expect(next()).toBe('No feature ledger exists.\n')
    write('a', 'pending')
    expect(next()).toBe('a\n')
    write('a', 'blocked')
    expect(next()).toBe('No feature is in progress or pending.\n')
  })
})

describe('bad input', () => {
  test.each(['read', 'check'])('%s without a ledger exits 2, with a remedy', verb => {
    const { status, stderr } = premath(['harness-feature', verb])
    expect([status, stderr]).toEqual([
      2,
      `error: the feature ledger ${path} does not exist\n  Create it: premath harness-feature write --feature-id <id> --status pending.\n`,
    ])
  })

  test.each([
    [['--status', 'pending'], '--feature-id <id> is missing'],
    [['--feature-id', ' ', '--status', 'pending'], '--feature-id must be non-empty'],
    [['--feature-id', 'a'], '--status'],
    [['--feature-id', 'a', '--status', 'done'], 'pending, in_progress, blocked, completed'],
  ])('%j is bad usage', (args, message) => {
    const { status, stderr } = premath(['harness-feature', 'write', ...args])
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(existsSync(file())).toBe(false)
  })

  test.each([
    ['{"schema":1', /is not valid: .*line 1/],
    ['{"schema":3,"features":[]}', /its schema is 3, and this version of premath supports 1/],
    ['{"schema":1,"ledgerKind":"x"}', /ledgerKind must be "premath/],
  ])('%s is not overwritten', (content, message) => {
    put(content)
    const row = ['--feature-id', 'a', '--status', 'pending']
    for (const args of [['write', ...row], ['read'], ['check'], ['next']]) {
      const { status, stderr } = premath(['harness-feature', ...args])
      expect([status, stderr]).toEqual([2, expect.stringMatching(message)])
    }
    expect(text()).toBe(content)
  })
})

test('forty concurrent writers leave forty rows', { timeout: 300_000 }, async () => {
  const ids = Array.from({ length: 40 }, (_, at) => `f-${String(at).padStart(2, '0')}`)
  await Promise.all(ids.map(writeUntilDone))
  const { ledger } = done('harness-feature', 'read')
  expect(ledger.features.map((row: { featureId: string }) => row.featureId)).toEqual(ids)
  expect(readdirSync(join(project.folder, '.premath')).toSorted()).toEqual([
    'harness_feature_ledger.json',
    'harness_feature_ledger.json.lock',
  ])
})

const busy = 4
const triesMax = 20

/** A loaded machine may not get to it in time; whoever called it would try again. */
async function writeUntilDone(id: string): Promise<void> {
  for (let tries = 1; tries <= triesMax; tries++) {
    const { status, errors } = await startedWrite(id)
    if (status === 0) return
    expect({ id, status, errors }).toMatchObject({ status: busy })
  }
  throw new Error(`${id} found the ledger busy ${triesMax} times`)
}

function startedWrite(id: string) {
  const args = ['harness-feature', 'write', '--feature-id', id, '--status', 'pending']
  const child = spawn(process.execPath, [main, ...args], {
    cwd: project.folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let errors = ''
  child.stderr.on('data', chunk => {
    errors += chunk
  })
  return new Promise<{ status: number | null; errors: string }>(settle => {
    child.on('close', status => settle({ status, errors }))
  })
}
