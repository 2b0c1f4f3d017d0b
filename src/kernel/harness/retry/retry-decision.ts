/** Decides whether to retry. Equal attempt, classes and policy give an equal decision. */
import { Fault } from '../../../fault.ts'
import type { RetryDecision } from '../../../wire/harness/retry-decision.ts'
import type { BackoffClass } from '../../../wire/policy/retry-policy.ts'
import { cleanRefs, trim } from '../../text/clean.ts'
import { isGateClass } from './gate-class.ts'
import type { RetryPolicy, RetryRule } from './retry-policy.ts'

/** The class of a failure without a class. */
const unnamedFailure = 'pipeline_missing_failure_class'

/**
 * The first class with a rule decides, otherwise the default rule. A class of the gate comes first
 * and always stops, whatever the policy says, so that issue memory does not change.
 */
export function decideRetry(
  policy: RetryPolicy,
  failureClasses: readonly string[],
  attempt: number,
): RetryDecision {
  if (!Number.isSafeInteger(attempt) || attempt < 1) {
    throw new Fault('usage', `the attempt ${attempt} is not valid`, {
      hint: 'Attempts start at 1.',
    })
  }
  const named = failureClasses.map(trim).filter(one => one !== '')
  const ofGate = named.filter(isGateClass)
  const { matched, rule } = match(policy, ofGate.length > 0 ? ofGate : named)
  const retry = attempt < rule.maxAttempts
  return {
    decisionKind: 'premath.harness.retry_decision.v1',
    attempt,
    maxAttempts: rule.maxAttempts,
    retry,
    backoffClass: rule.backoffClass,
    backoffMs: retry ? backoffMs(rule.backoffClass, attempt) : 0,
    escalationAction: ofGate.length > 0 ? 'stop' : rule.escalationAction,
    ruleId: rule.ruleId,
    matchedFailureClass: matched,
    failureClasses: cleanRefs(named),
    policyId: policy.policyId,
    policyDigest: policy.policyDigest,
  }
}

/**
 * The decision where nobody would make another attempt. An issue that was blocked stays blocked, or the
 * next run would spend its attempts again.
 */
export function decidedOnce(decision: RetryDecision, wasBlocked: boolean): RetryDecision {
  const stopping = decision.retry ? 'stop' : decision.escalationAction
  return { ...withoutRetry(decision), escalationAction: wasBlocked ? 'mark_blocked' : stopping }
}

/** The same decision without a retry: a program that is missing now is missing in a second. */
export const withoutRetry = (decision: RetryDecision): RetryDecision => ({
  ...decision,
  retry: false,
  backoffMs: 0,
})

function match(
  policy: RetryPolicy,
  classes: readonly string[],
): { matched: string; rule: RetryRule } {
  for (const matched of classes) {
    const rule = policy.rules.get(matched)
    if (rule) return { matched, rule }
  }
  return { matched: classes[0] ?? unnamedFailure, rule: policy.defaultRule }
}

interface Backoff {
  readonly firstMs: number
  readonly factor: number
}

const backoffs: Readonly<Record<BackoffClass, Backoff>> = {
  none: { firstMs: 0, factor: 1 },
  fixed_short: { firstMs: 1_000, factor: 1 },
  exponential_short: { firstMs: 1_000, factor: 2 },
}

/** A worker that sleeps longer than this looks as if it crashed. */
export const backoffMsMax = 60_000

/** The wait after an attempt. The first attempt is 1. */
export function backoffMs(backoffClass: BackoffClass, attempt: number): number {
  const { firstMs, factor } = backoffs[backoffClass]
  return Math.min(firstMs * factor ** (attempt - 1), backoffMsMax)
}
