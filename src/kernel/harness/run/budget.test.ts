import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../../wire/harness/session.ts'
import type { Budget } from '../../../wire/run/budget.ts'
import { parseJson } from '../../json.ts'
import { printSession, readSession, writeSession } from '../session.ts'
import {
  type BudgetLimits,
  exhaustedReason,
  newBudget,
  recordedUse,
  withRecordedUse,
} from './budget.ts'

const session = (more: object = {}): Session => ({
  ...writeSession(
    undefined,
    { state: 'active', issuesPath: 'i', issuesSnapshotRef: undefined },
    1_800_000_000_000_000_000n,
  ),
  ...more,
})

const used = (limits: BudgetLimits, use: Partial<Budget>) => ({ ...newBudget(limits), ...use })

describe('a budget is spent', () => {
  test.each([
    ['by the last step of it', { maxSteps: 1 }, { steps: 1 }, '1 of 1 steps are used'],
    ['by more than there are', { maxSteps: 2 }, { steps: 3 }, '3 of 2 steps are used'],
    ['by failures', { maxFailures: 1 }, { failures: 1 }, '1 of 1 failures are used'],
    ['by a minute', { maxMinutes: 1 }, { milliseconds: 60_000 }, '1 minute has passed'],
    ['by minutes', { maxMinutes: 2 }, { milliseconds: 120_000 }, '2 minutes have passed'],
  ])('%s', (_, limits, use, why) => {
    expect(exhaustedReason(used(limits, use))).toBe(why)
  })

  test.each([
    ['a step is left', { maxSteps: 2 }, { steps: 1 }],
    ['a failure is left', { maxFailures: 2 }, { failures: 1 }],
    ['a moment is left', { maxMinutes: 1 }, { milliseconds: 59_999 }],
    ['nothing bounds it', {}, { steps: 1e9, failures: 1e9, milliseconds: 1e15 }],
    ['only something else bounds it', { maxFailures: 1 }, { steps: 1e9 }],
  ])('not while %s', (_, limits, use) => {
    expect(exhaustedReason(used(limits, use))).toBeUndefined()
  })

  test('for good: using more never frees budget', () => {
    const count = fc.nat({ max: 5 })
    const limit = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined })
    const limits = fc.record({ maxSteps: limit, maxFailures: limit, maxMinutes: limit })
    const use = fc.record({ steps: count, failures: count, milliseconds: fc.nat(400_000) })
    fc.assert(
      fc.property(limits, use, use, (max, before, more) => {
        const after = {
          steps: before.steps + more.steps,
          failures: before.failures + more.failures,
          milliseconds: before.milliseconds + more.milliseconds,
        }
        if (exhaustedReason(used(max, before)) !== undefined) {
          expect(exhaustedReason(used(max, after))).toBeDefined()
        }
      }),
    )
  })
})

describe('a budget recorded in the session', () => {
  test('is read back unchanged beside any other member', () => {
    const count = fc.nat()
    fc.assert(
      fc.property(count, count, count, fc.option(count, { nil: undefined }), (...counts) => {
        const [steps, failures, milliseconds, maxSteps] = counts
        const kept = withRecordedUse(session({ theirs: [1] }), {
          steps,
          failures,
          milliseconds,
          maxSteps,
        })
        const text = printSession(kept)
        const read = readSession(parseJson(text, { numbersAreCanonical: true }), 's.json')
        expect(recordedUse(read, 's.json')).toEqual({ steps, failures, milliseconds })
        expect(read).toMatchObject({ theirs: [1] })
      }),
    )
  })

  test('is removed when the run ends, and the other members stay', () => {
    const kept = withRecordedUse(session({ theirs: 1 }), newBudget({}))
    expect(withRecordedUse(kept, undefined)).toEqual(session({ theirs: 1 }))
    expect(recordedUse(withRecordedUse(kept, undefined), 's.json')).toBeUndefined()
  })

  test('has no member for a limit that was not given', () => {
    const { premathBudget } = withRecordedUse(
      session(),
      newBudget({ maxSteps: 3, maxMinutes: undefined }),
    )
    expect(premathBudget).toStrictEqual({ maxSteps: 3, steps: 0, failures: 0, milliseconds: 0 })
  })

  test.each([
    ['no object', 7],
    ['nothing in it', {}],
    ['a count less', { steps: 1, failures: 0 }],
    ['a count that is text', { steps: '1', failures: 0, milliseconds: 0 }],
    ['a count below zero', { steps: -1, failures: 0, milliseconds: 0 }],
    ['half a step', { steps: 0.5, failures: 0, milliseconds: 0 }],
    ['more than can be counted', { steps: 2 ** 53, failures: 0, milliseconds: 0 }],
    ['a list', [1, 2, 3]],
    ['null', null],
  ])('is refused with %s, and the error says how to start over', (_, kept) => {
    expect(() => recordedUse(session({ premathBudget: kept }), '/p/s.json')).toThrow(
      expect.objectContaining({
        code: 'invalid_input',
        message: expect.stringMatching(/^the harness session \/p\/s\.json is not valid: .*budget/),
        hint: expect.stringContaining('--new-budget'),
      }),
    )
  })
})
