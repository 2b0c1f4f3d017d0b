import { describe, expect, test } from 'vitest'
import { writeSession } from '../session.ts'
import type { RemainingWork } from './remaining-work.ts'
import type { RunSummary } from './run-event.ts'
import { isOfRun, nextAfterRun, sessionAtEnd, sessionAtStart } from './run-session.ts'

const now = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n
const issuesPath = '.premath/issues.jsonl'
const worker = { mode: 'worker', workerId: 'w', issuesPath } as const
const coordinator = { mode: 'coordinator', workerId: 'coordinator', issuesPath } as const

const session = (state: 'active' | 'stopped') =>
  writeSession(
    undefined,
    {
      state,
      issueId: 'bd-1',
      summary: 'the summary of the last step',
      nextStep: 'go on with bd-1',
      witnessRefs: ['witness://a'],
      issuesPath,
      issuesSnapshotRef: undefined,
    },
    now,
  )

const nothing: RemainingWork = {
  open: 0,
  blocked: [],
  waits: [],
  blockers: [],
  marked: [],
  named: [],
  held: [],
}

const summary: RunSummary = {
  runId: 'run1_0',
  why: 'idle',
  closed: ['bd-1', 'bd-2'],
  failed: [],
  refused: [],
  lost: [],
  steps: 2,
  budget: { steps: 2, failures: 0, milliseconds: 1 },
  attention: 0,
  left: 1,
  milliseconds: 1,
  nextStep: 'see bd-3',
}

describe('at the start', () => {
  test('a worker keeps the handoff of the last step for the start to read', () => {
    expect(sessionAtStart(session('stopped'), worker, ['w'], now)).toEqual(session('stopped'))
  })

  test('a worker without a session begins one', () => {
    expect(sessionAtStart(undefined, worker, ['w'], now)).toMatchObject({
      state: 'active',
      summary: 'worker=w waits for work',
      nextStep: 'issue_ready -> claim -> work -> verify -> release_or_update',
    })
  })

  test.each([
    [['w1'], 'coordinates 1 worker: w1'],
    [['w1', 'w2'], 'coordinates 2 workers: w1, w2'],
  ])('a coordinator names its workers and works on no issue', (names, words) => {
    const begun = sessionAtStart(session('stopped'), coordinator, names, now)
    expect(begun).toMatchObject({ state: 'active', summary: words, witnessRefs: [] })
    expect(begun.issueId).toBeUndefined()
  })
})

describe('at the end', () => {
  test('a worker keeps the handoff of its last step', () => {
    expect(sessionAtEnd(session('stopped'), worker, summary, now)).toEqual(session('stopped'))
  })

  test('a worker without a handoff is stopped with the next step', () => {
    expect(sessionAtEnd(session('active'), worker, summary, now)).toMatchObject({
      state: 'stopped',
      summary: 'idle: 2 closed, 0 failed, 0 refused, 1 left',
      nextStep: 'see bd-3',
    })
  })

  test('a coordinator is always stopped with the next step', () => {
    for (const before of [undefined, session('active'), session('stopped')]) {
      expect(sessionAtEnd(before, coordinator, summary, now)).toMatchObject({
        state: 'stopped',
        summary: 'idle: 2 closed, 0 failed, 0 refused, 1 left',
        nextStep: 'see bd-3',
      })
    }
  })
})

test('the session that a run left is known as one', () => {
  expect(isOfRun(sessionAtEnd(undefined, coordinator, summary, now))).toBe(true)
  expect(isOfRun(session('stopped'))).toBe(false)
})

describe('the next step of a session', () => {
  test.each([
    ['done', nothing, undefined, 'every issue is closed; add more: premath issue add'],
    [
      'idle',
      { ...nothing, blocked: ['bd-1', 'bd-2'], blockers: ['bd-3'] },
      undefined,
      'no issue can be claimed: check bd-3, then run the loop again',
    ],
    [
      'idle',
      { ...nothing, blocked: ['bd-2'], marked: ['bd-2'] },
      undefined,
      'bd-2 is blocked. See what failed: premath show bd-2. To try again: premath reopen bd-2, then premath run.',
    ],
    [
      'idle',
      { ...nothing, blocked: ['bd-2', 'bd-3'], marked: ['bd-2', 'bd-3'] },
      undefined,
      'bd-2, bd-3 are blocked. For bd-2: See what failed: premath show bd-2. To try again: premath reopen bd-2, then premath run.',
    ],
    [
      'idle',
      nothing,
      undefined,
      'no issue can be claimed: premath issue list shows the open issues',
    ],
    [
      'budget',
      nothing,
      '3 of 3 steps are used',
      'the budget is used up (3 of 3 steps are used); start a new one with --new-budget',
    ],
    [
      'budget',
      nothing,
      undefined,
      'the budget is used up (all of it); start a new one with --new-budget',
    ],
    [
      'stopped',
      nothing,
      undefined,
      'run the same command again to continue with the remaining budget',
    ],
    ['cycle', nothing, undefined, 'remove a dependency from the cycle: premath dep diagnostics'],
    ['environment', nothing, undefined, 'make the command run, then run the loop again'],
    ['failed', nothing, undefined, 'fix the failures of the workers, then run the loop again'],
  ] as const)('after %s', (why, left, spent, next) => {
    expect(nextAfterRun(why, left, spent)).toBe(next)
  })

  test('names work that waits to land, whatever ended the run', () => {
    const failureClasses = ['landing_parked']
    const parked = { stepId: 's', resultClass: 'landing_parked', failureClasses, summary: 's' }
    const failed = ['bd-2', 'bd-3'].map(issueId => ({ ...parked, issueId }))
    expect(nextAfterRun('stopped', nothing, undefined, failed)).toBe(
      'run the same command again to continue with the remaining budget; bd-2, bd-3 wait to land: premath land bd-2',
    )
  })

  test('another attempt does not help work that changed protected files', () => {
    const failureClasses = ['protected_path_changed']
    const failed = [
      { issueId: 'bd-2', stepId: 's', resultClass: 'x', failureClasses, summary: 's' },
    ]
    const left = { ...nothing, blocked: ['bd-2'], marked: ['bd-2'] }
    expect(nextAfterRun('idle', left, undefined, failed)).toContain(
      'premath issue update bd-2 --may-change <pattern>. Then land it: premath land bd-2.',
    )
  })
})
