import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type EndedWork,
  EnvironmentWatch,
  FailureStreak,
  RunTally,
  streakMax,
  verdictOf,
} from './run-tally.ts'

const ended = (issueId: string, resultClass: string, ...failureClasses: string[]): EndedWork => ({
  workerId: 'w',
  issueId,
  stepId: `w.${issueId}.1.1`,
  resultClass,
  failureClasses,
  summary: 'so it went',
})

describe('the tally of one issue', () => {
  test.each([
    ['closed', 'completed', []],
    ['failed', 'check_failed', ['check_failed']],
    ['refused', 'tool.result_missing', ['tool.result_missing', 'check_failed']],
    ['parked', 'landing_parked', ['landing_parked']],
    ['stopped', 'retry_needed_interrupted_by_signal', ['interrupted_by_signal']],
    ['lost', 'retry_needed_lease_lost', ['lease_lost']],
    ['lost', 'lease_fence_stale', ['lease_fence_stale']],
    ['lost', 'check_failed', ['check_failed', 'lease_contention_active']],
    // Another worker holds the issue, so its gate decides.
    ['lost', 'tool.result_missing', ['tool.result_missing', 'lease_lost']],
  ] as const)('%s: %s', (verdict, resultClass, classes) => {
    expect(verdictOf(ended('bd-1', resultClass, ...classes))).toBe(verdict)
  })
})

describe('a tally', () => {
  test('excludes failed and refused issues from the run, and nothing else', () => {
    const tally = new RunTally()
    tally.take(ended('bd-1', 'completed'))
    tally.take(ended('bd-2', 'check_failed', 'check_failed'))
    tally.take(ended('bd-3', 'tool.result_missing', 'tool.result_missing'))
    tally.take(ended('bd-4', 'lease_lost', 'lease_lost'))
    tally.take(ended('bd-5', 'retry_needed_interrupted_by_signal', 'interrupted_by_signal'))
    expect([...tally.setAside]).toEqual(['bd-2', 'bd-3'])
    expect(tally.closed).toEqual(['bd-1'])
    expect(tally.failed).toEqual([
      {
        issueId: 'bd-2',
        stepId: 'w.bd-2.1.1',
        resultClass: 'check_failed',
        failureClasses: ['check_failed'],
        summary: 'so it went',
      },
    ])
    expect(tally.refused.map(({ issueId }) => issueId)).toEqual(['bd-3'])
    expect(tally.interrupted).toBe(1)
  })

  test('counts work that waits to land apart from failures, and claims it no more', () => {
    const tally = new RunTally()
    tally.take(ended('bd-1', 'landing_parked', 'landing_parked'))
    expect([tally.failed, tally.parked.map(({ issueId }) => issueId)]).toEqual([[], ['bd-1']])
    expect([...tally.setAside]).toEqual(['bd-1'])
    tally.close('bd-1')
    expect(tally.parked).toEqual([])
  })

  test('keeps issues back until a later pass no longer does, and failed ones for good', () => {
    const tally = new RunTally()
    tally.take(ended('bd-1', 'check_failed', 'check_failed'))
    tally.keepBack(new Set(['bd-1', 'bd-2', 'bd-3']))
    expect([...tally.setAside]).toEqual(['bd-1', 'bd-2', 'bd-3'])
    tally.keepBack(new Set(['bd-3']))
    expect([...tally.setAside]).toEqual(['bd-1', 'bd-3'])
  })

  test('sets aside issues added for a failure, and does not count them as failures', () => {
    const tally = new RunTally()
    tally.take({ ...ended('bd-1', 'flaky_execution', 'flaky_execution'), added: 'bd-2' })
    expect([...tally.setAside].toSorted()).toEqual(['bd-1', 'bd-2'])
    expect(tally.failed).toMatchObject([{ issueId: 'bd-1' }])
    expect(tally.failed[0]).not.toHaveProperty('added')
  })

  test('does not count a closed issue as failed', () => {
    const tally = new RunTally()
    tally.take(ended('bd-1', 'check_failed', 'check_failed'))
    tally.take(ended('bd-2', 'tool.result_missing', 'tool.result_missing'))
    tally.take(ended('bd-1', 'completed'))
    tally.take(ended('bd-2', 'completed'))
    expect([tally.closed, tally.failed, tally.refused]).toEqual([['bd-1', 'bd-2'], [], []])
  })
})

describe('failures in a row', () => {
  const repeatedIn = (...tries: readonly (readonly string[])[]) => {
    const streak = new FailureStreak()
    return tries.map(classes => streak.take(classes))
  }
  const no = undefined

  test('are reported once, at the third of one class', () => {
    expect(repeatedIn(['a'], ['a'], ['a'], ['a'], ['a'], ['a'])).toEqual([no, no, 'a', no, no, no])
  })

  test('are interrupted by another class and by a success', () => {
    expect(repeatedIn(['a'], ['a'], ['b'], ['a'], ['a'], [], ['a'])).toEqual(Array(7).fill(no))
    expect(repeatedIn(['a'], ['a'], ['a'], [], ['a'], ['a'], ['a'])[6]).toBe('a')
  })

  test('success never counts as a repeated class', () => {
    expect(repeatedIn([], [], [], [])).toEqual([no, no, no, no])
  })

  test('count by the deciding class, whatever comes with it', () => {
    expect(repeatedIn(['a', 'x'], ['a'], ['a', 'y'])).toEqual([no, no, 'a'])
  })

  test('are reported only if the last three have that class', () => {
    const tries = fc.array(fc.subarray(['a', 'b']), { maxLength: 30 })
    fc.assert(
      fc.property(tries, all => {
        for (const [at, name] of repeatedIn(...all).entries()) {
          if (name === undefined) continue
          const last = all.slice(Math.max(0, at + 1 - streakMax), at + 1)
          expect(last.map(([first]) => first)).toEqual(Array(streakMax).fill(name))
        }
      }),
    )
  })
})

describe('the environment', () => {
  const missing = { failureClasses: ['executor_unavailable'], exitCode: 127 }
  const likely = { failureClasses: ['executor_unavailable'], exitCode: 2 }
  const failed = { failureClasses: ['check_failed'], exitCode: 1 }

  test.each([126, 127])('is broken once a shell exits with %i', exitCode => {
    expect(new EnvironmentWatch().take({ ...missing, exitCode })).toBe(true)
  })

  test('is broken after two attempts in a row that look like it', () => {
    const watch = new EnvironmentWatch()
    const taken = [likely, failed, likely, { ...likely, exitCode: null }]
    expect(taken.map(one => watch.take(one))).toEqual([false, false, false, true])
  })

  test('is not blamed for a class that the command named itself', () => {
    const watch = new EnvironmentWatch()
    const named = { failureClasses: ['flaky_io'], exitCode: 127 }
    expect([watch.take(named), watch.take(named)]).toEqual([false, false])
  })
})
