import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backoffClasses } from '../../../wire/policy/retry-policy.ts'
import { parseJson } from '../../json.ts'
import { rules } from '../../turn/rules/index.ts'
import { backoffMs, backoffMsMax, decideRetry, withoutRetry } from './retry-decision.ts'
import {
  type RetryPolicy,
  type RetryRule,
  readRetryPolicy,
  retryPolicyPath,
} from './retry-policy.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const shipped = readRetryPolicy(
  parseJson(readFileSync(retryPolicyPath, 'utf8')),
  retryPolicyPath,
  sha256,
)

test('[tusk.5.backoff] each backoff class is a wait that follows from the attempt', () => {
  const waits = backoffClasses.map(name => [1, 2, 3, 4].map(attempt => backoffMs(name, attempt)))
  expect(waits).toEqual([
    [0, 0, 0, 0],
    [1_000, 1_000, 1_000, 1_000],
    [1_000, 2_000, 4_000, 8_000],
  ])
  expect(backoffMs('exponential_short', 5_000)).toBe(backoffMsMax)
})

test('[tusk.5.max-attempts] a failure is tried again until its attempts are used up', () => {
  const decisions = [1, 2, 3, 4].map(attempt => decideRetry(shipped, ['flaky_io'], attempt))
  expect(decisions.map(({ retry, backoffMs }) => [retry, backoffMs])).toEqual([
    [true, 1_000],
    [true, 2_000],
    [false, 0],
    [false, 0],
  ])
  expect(decisions[1]).toEqual({
    decisionKind: 'premath.harness.retry_decision.v1',
    attempt: 2,
    maxAttempts: 3,
    retry: true,
    backoffClass: 'exponential_short',
    backoffMs: 2_000,
    escalationAction: 'issue_discover',
    ruleId: 'transient_retry',
    matchedFailureClass: 'flaky_io',
    failureClasses: ['flaky_io'],
    policyId: shipped.policyId,
    policyDigest: shipped.policyDigest,
  })
})

test('the first class that has a rule decides, and all are recorded in order', () => {
  const given = ['zzz_unknown', ' check_failed ', 'flaky_io', 'check_failed', '']
  expect(decideRetry(shipped, given, 1)).toMatchObject({
    matchedFailureClass: 'check_failed',
    escalationAction: 'mark_blocked',
    failureClasses: ['check_failed', 'flaky_io', 'zzz_unknown'],
  })
})

test('[tusk.5.no-silent-pass] a failure that has no rule, or no name, stops', () => {
  const stopped = { retry: false, ruleId: 'default', escalationAction: 'stop' }
  expect(decideRetry(shipped, ['b_x', 'a_x'], 1)).toMatchObject({
    ...stopped,
    matchedFailureClass: 'b_x',
  })
  expect(decideRetry(shipped, [], 1)).toMatchObject({
    ...stopped,
    matchedFailureClass: 'pipeline_missing_failure_class',
    failureClasses: [],
  })
})

test('a decision can be taken without its retry, and its escalation stays', () => {
  const decision = decideRetry(shipped, ['flaky_io'], 1)
  expect(withoutRetry(decision)).toEqual({ ...decision, retry: false, backoffMs: 0 })
})

test.each([0, -1, 1.5, Number.NaN])('the attempt %s is refused', attempt => {
  expect(() => decideRetry(shipped, ['flaky_io'], attempt)).toThrow(/the attempt \S+ is not valid/)
})

describe('a class of a gate only stops, whatever the policy says', () => {
  const lax: RetryRule = {
    ruleId: 'lax',
    maxAttempts: 1,
    backoffClass: 'none',
    escalationAction: 'mark_blocked',
  }
  const policy: RetryPolicy = {
    policyId: 'p',
    policyDigest: 'pol1_',
    defaultRule: { ...lax, escalationAction: 'issue_discover' },
    rules: new Map([...Object.keys(rules), 'check_failed'].map(name => [name, lax])),
  }

  test.each(Object.keys(rules))('[runtime.1.1.escalation-mapping] %s', name => {
    expect(decideRetry(policy, [name], 1)).toMatchObject({
      escalationAction: 'stop',
      matchedFailureClass: name,
    })
  })

  test('[runtime.1.1.escalation-mapping] also beside other classes, in capitals, or of an unknown gate', () => {
    for (const name of ['tool.join_incomplete', 'TOOL.Join_incomplete', 'tool.of_tomorrow']) {
      expect(decideRetry(policy, ['check_failed', name], 1)).toMatchObject({
        escalationAction: 'stop',
        matchedFailureClass: name,
      })
    }
    expect(decideRetry(policy, ['check_failed', 'tools.x_y'], 1).escalationAction).toBe(
      'mark_blocked',
    )
  })
})

test('a decision is the same for the same input, and records its classes in one order', () => {
  const classes = fc.array(fc.constantFrom('flaky_io', 'check_failed', 'x_y', 'tool.use_missing'))
  fc.assert(
    fc.property(classes, fc.integer({ min: 1, max: 5 }), (some, attempt) => {
      const decision = decideRetry(shipped, some, attempt)
      expect(decideRetry(shipped, some, attempt)).toEqual(decision)
      expect(decideRetry(shipped, some.toReversed(), attempt).failureClasses).toEqual(
        decision.failureClasses,
      )
      expect(decision.retry).toBe(attempt < decision.maxAttempts)
    }),
  )
})
