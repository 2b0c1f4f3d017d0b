import { expect, test } from 'vitest'
import type { Session } from '../../wire/harness/session.ts'
import { bootstrapFrom } from './bootstrap.ts'
import { writeSession } from './session.ts'

const refs = { sessionRef: 's.json', featureLedgerRef: 'l.json' }
const now = 1_771_718_400_000_000_000n

const session = (state: Session['state']) =>
  writeSession(
    undefined,
    {
      state,
      issueId: 'bd-1',
      summary: 'began',
      nextStep: 'work',
      instructionRefs: ['i'],
      witnessRefs: ['w'],
      lineageRefs: ['ctx://issue/bd-1/x'],
      issuesPath: '.premath/issues.jsonl',
      issuesSnapshotRef: 'iss1_x',
    },
    now,
  )

test('[runtime.4.bootstrap-kind] without a session a context starts fresh, with every member', () => {
  expect(bootstrapFrom(undefined, undefined, refs)).toEqual({
    bootstrapKind: 'premath.harness.bootstrap.v1',
    featureClosureComplete: null,
    featureCount: null,
    featureLedgerRef: 'l.json',
    instructionRefs: [],
    issuesPath: null,
    issuesSnapshotRef: null,
    lineageRefs: [],
    mode: 'fresh',
    nextFeatureId: null,
    nextStep: null,
    resumeIssueId: null,
    sessionId: null,
    sessionRef: 's.json',
    startedAt: null,
    stoppedAt: null,
    summary: null,
    updatedAt: null,
    witnessRefs: [],
  })
})

test('a stopped session is resumed with all its members', () => {
  expect(bootstrapFrom(session('stopped'), undefined, refs)).toEqual({
    bootstrapKind: 'premath.harness.bootstrap.v1',
    featureClosureComplete: null,
    featureCount: null,
    featureLedgerRef: 'l.json',
    instructionRefs: ['i'],
    issuesPath: '.premath/issues.jsonl',
    issuesSnapshotRef: 'iss1_x',
    lineageRefs: ['ctx://issue/bd-1/x'],
    mode: 'resume',
    nextFeatureId: null,
    nextStep: 'work',
    resumeIssueId: 'bd-1',
    sessionId: 'hs1_20260222T000000Z_bd-1',
    sessionRef: 's.json',
    startedAt: '2026-02-22T00:00:00Z',
    stoppedAt: '2026-02-22T00:00:00Z',
    summary: 'began',
    updatedAt: '2026-02-22T00:00:00Z',
    witnessRefs: ['w'],
  })
})

test.each([
  ['resume', 'stopped'],
  ['attach', 'active'],
] as const)('[runtime.4.bootstrap-mode] %s is for a session that is %s', (mode, state) => {
  expect(bootstrapFrom(session(state), undefined, refs).mode).toBe(mode)
})

test('[runtime.5.bootstrap-projection] features are projected from the ledger', () => {
  const features = { closureComplete: false, featureCount: 2, nextFeatureId: 'a' }
  expect(bootstrapFrom(undefined, features, refs)).toMatchObject({
    featureClosureComplete: false,
    featureCount: 2,
    mode: 'fresh',
    nextFeatureId: 'a',
  })
  const closed = { closureComplete: true, featureCount: 2, nextFeatureId: null }
  expect(bootstrapFrom(session('active'), closed, refs)).toMatchObject({
    featureClosureComplete: true,
    nextFeatureId: null,
  })
})
