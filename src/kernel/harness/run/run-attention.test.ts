import { describe, expect, test } from 'vitest'
import type { RemainingWork } from './remaining-work.ts'
import {
  blockedAttention,
  cycleAttention,
  environmentAttention,
  leaseEndingAttention,
  leaseLostAttention,
  matterOf,
  quietAttention,
  refusedAttention,
  repeatedAttention,
  workerEndedAttention,
} from './run-attention.ts'

const failed = {
  issueId: 'bd-1',
  stepId: 'w.bd-1.1.1',
  resultClass: 'lease_lost',
  failureClasses: ['lease_lost'],
  summary: 'the work was stopped',
}

const left = (more: Partial<RemainingWork>): RemainingWork => ({
  open: 1,
  blocked: [],
  waits: [],
  blockers: [],
  marked: [],
  named: [],
  held: [],
  ...more,
})

describe('a matter names the worker, the problem and the remedy', () => {
  test.each([
    [
      quietAttention('w', 'bd-1', { event: 'quiet', phase: 'work', seconds: 600 }),
      'worker_quiet',
      'w has printed nothing for 600 s in work of bd-1',
    ],
    [
      quietAttention('w', undefined, { event: 'quiet', phase: 'startup', seconds: 1 }),
      'worker_quiet',
      'w has printed nothing for 1 s in startup',
    ],
    [
      leaseEndingAttention('w', {
        event: 'lease.ending',
        issueId: 'bd-1',
        leaseExpiresAt: '2026-02-22T12:00:00Z',
      }),
      'lease_ending',
      'the lease of w on bd-1 expires at 2026-02-22T12:00:00Z and could not be renewed',
    ],
    [
      leaseLostAttention('w', failed),
      'lease_lost',
      'w lost bd-1: the work was stopped; the issue was not changed',
    ],
    [
      repeatedAttention('w', 'bd-1', 'check_failed'),
      'repeated_failure',
      'w failed 3 times in a row with check_failed, last on bd-1',
    ],
    [refusedAttention('w', failed), 'gate_refused', 'the gate rejected bd-1: the work was stopped'],
    [
      cycleAttention(['bd-1', 'bd-2', 'bd-1']),
      'dependency_cycle',
      'active issues form a dependency cycle: bd-1 → bd-2 → bd-1',
    ],
    [
      environmentAttention('w', {
        event: 'attempt.ended',
        stepId: 'w.bd-1.1.1',
        issueId: 'bd-1',
        attempt: 1,
        resultClass: 'executor_unavailable',
        failureClasses: ['executor_unavailable'],
        summary: 'the work command ended with exit code 127',
        durationMs: 1,
        nextStep: 'x',
      }),
      'environment_failed',
      'a command of w could not run, so the run ends: the work command ended with exit code 127',
    ],
    [
      workerEndedAttention('w', 'its worktree is gone', 'Bring it back.'),
      'worker_ended',
      'w: its worktree is gone',
    ],
  ])('%#: %o', (facts, about, message) => {
    expect(facts).toMatchObject({ about, message, next: expect.stringMatching(/\w.*\.$/) })
  })
})

test('a command that cannot run may need a file that is not committed', () => {
  const { next } = environmentAttention('w', {
    event: 'attempt.ended',
    stepId: 'w.bd-1.1.1',
    issueId: 'bd-1',
    attempt: 1,
    resultClass: 'executor_unavailable',
    failureClasses: ['executor_unavailable'],
    summary: 'the work command ended with exit code 2',
    durationMs: 1,
    nextStep: 'x',
    outputRef: 'artifacts/steps/w.bd-1.1.1/work.stderr',
  })
  expect(next).toMatch(
    /committed files only\. Its output is in artifacts\/steps\/.*\/work\.stderr\.$/,
  )
})

describe('blocked work', () => {
  test('is reported with its blockers and the active workers', () => {
    const facts = blockedAttention(
      left({
        blocked: ['bd-1', 'bd-2'],
        waits: [
          { id: 'bd-1', on: ['bd-3'] },
          { id: 'bd-2', on: ['bd-3'] },
        ],
        blockers: ['bd-3'],
        held: ['bd-3 (ann until noon)'],
      }),
    )
    expect(facts.message).toBe(
      'no issue is ready: bd-1, bd-2 wait for bd-3; held: bd-3 (ann until noon)',
    )
    expect(facts.blockers).toEqual(['bd-3'])
    expect(facts.next).toContain('premath issue show bd-3')
  })

  test('says which issue waits for which', () => {
    const waits = [
      { id: 'bd-4', on: ['bd-1'] },
      { id: 'bd-8', on: ['bd-5', 'bd-6'] },
    ]
    const facts = blockedAttention(
      left({ blocked: ['bd-4', 'bd-8'], waits, blockers: ['bd-1', 'bd-5', 'bd-6'] }),
    )
    expect(facts.message).toBe('no issue is ready: bd-4 waits for bd-1; bd-8 waits for bd-5, bd-6')
    const many = [1, 2, 3, 4, 5, 6, 7].map(number => ({ id: `a-${number}`, on: [`b-${number}`] }))
    expect(blockedAttention(left({ waits: many })).message).toMatch(
      /a-5 waits for b-5; and 2 more$/,
    )
  })

  test('that somebody marked as blocked is reported as such', () => {
    const facts = blockedAttention(left({ blocked: ['bd-1'], marked: ['bd-1'] }))
    expect(facts.message).toBe('no issue is ready: bd-1 is marked as blocked')
    expect(facts.blockers).toEqual(['bd-1'])
  })

  test('waits for marked issues, each named once', () => {
    const facts = blockedAttention(
      left({
        blocked: ['bd-1', 'bd-2'],
        waits: [{ id: 'bd-1', on: ['bd-2'] }],
        blockers: ['bd-2'],
        marked: ['bd-2'],
      }),
    )
    expect(facts.message).toBe('no issue is ready: bd-1 waits for bd-2; bd-2 is marked as blocked')
    expect(facts.blockers).toEqual(['bd-2'])
  })
})

describe('two matters are the same', () => {
  test('if only their texts and times differ', () => {
    const quiet = (seconds: number) =>
      quietAttention('w', 'bd-1', { event: 'quiet', phase: 'work', seconds })
    expect(matterOf(quiet(600))).toBe(matterOf(quiet(601)))
  })

  test.each([
    ['worker', repeatedAttention('v', 'bd-1', 'check_failed')],
    ['issue', repeatedAttention('w', 'bd-2', 'check_failed')],
    ['class', repeatedAttention('w', 'bd-1', 'flaky_execution')],
  ])('but not if the %s differs', (_, other) => {
    expect(matterOf(repeatedAttention('w', 'bd-1', 'check_failed'))).not.toBe(matterOf(other))
  })
})
