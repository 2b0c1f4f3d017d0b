import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { VerifiedRun } from '../../wire/landing/verified-run.ts'
import { seconds, timestampOf } from '../timestamp.ts'
import {
  findRun,
  printRuns,
  readRuns,
  type Verified,
  verificationKey,
  withRun,
} from './verified-run.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const now = seconds(1_800_000_000)
const day = seconds(24 * 3600)

const verified: Verified = {
  issueId: 'bd-1',
  tree: ['100644 blob aa\ta.txt'],
  command: 'npm test',
  specs: [],
  startUp: 'npm ci',
  startUpInputs: ['package-lock.json'],
  sandbox: 'off',
  copiedFiles: [{ path: '.env', sha256: 'ab' }],
}

const run = (key: string, age = 0n): VerifiedRun => ({
  key,
  at: timestampOf(now - age),
  stepId: 'w.bd-1.1.1',
  commit: 'c'.repeat(40),
  commandDigest: 'sha256:11',
  outputDigest: 'sha256:22',
})

const key = verificationKey(verified, sha256)

test('the same verification has the same key', () => {
  expect(key).toMatch(/^sha256:/)
  expect(verificationKey({ ...verified }, sha256)).toBe(key)
})

test.each<[string, Partial<Verified>]>([
  ['issue', { issueId: 'bd-2' }],
  ['tree', { tree: ['100755 blob aa\ta.txt'] }],
  ['command', { command: 'npm test ' }],
  ['start-up command', { startUp: undefined }],
  ['list of start-up inputs', { startUpInputs: [] }],
  ['copied file', { copiedFiles: [{ path: '.env', sha256: 'ac' }] }],
])('another %s has another key', (_what, other) => {
  const changed = verificationKey({ ...verified, ...other }, sha256)
  expect(changed).toMatch(/^sha256:/)
  expect(changed).not.toBe(key)
})

test.each<[string, Partial<Verified>]>([
  ['by a command that asks about one attempt', { command: 'test -f "$PREMATH_ISSUE_ID"' }],
  ['of an issue with specs', { specs: ['specs/a.spec.md'] }],
])('a verification %s has no key', (_what, other) => {
  expect(verificationKey({ ...verified, ...other }, sha256)).toBeUndefined()
})

test('runs are read as they were printed, without lines that a crash tore', () => {
  const runs = [run('a'), run('b')]
  expect(readRuns(printRuns(runs))).toEqual(runs)
  expect(readRuns(printRuns(runs).slice(0, -20))).toEqual([run('a')])
  expect(readRuns(`{"key":1}\n\n[]\n${printRuns([run('a')])}`)).toEqual([run('a')])
  expect(readRuns('')).toEqual([])
})

test('a run is found for a week', () => {
  const old = [run('a', 7n * day), run('b', 7n * day - seconds(1))]
  expect(findRun(old, 'a', now)).toBeUndefined()
  expect(findRun(old, 'b', now)).toEqual(old[1])
  expect(findRun(old, 'c', now)).toBeUndefined()
})

test('a new run replaces the one of its key, and removes those that are too old', () => {
  const runs = [run('a', 8n * day), run('b', day), run('c', day)]
  expect(withRun(runs, run('b'), now)).toEqual([run('c', day), run('b')])
})

test('the last 1,000 runs are kept', () => {
  const runs = Array.from({ length: 1_000 }, (_, at) => run(`${at}`))
  const kept = withRun(runs, run('new'), now)
  expect(kept).toHaveLength(1_000)
  expect([kept[0]?.key, kept.at(-1)?.key]).toEqual(['1', 'new'])
})
