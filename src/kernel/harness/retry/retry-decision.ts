/** Decides whether to retry. Equal attempt, classes and policy give an equal decision. */
import { Fault } from '../../../fault.ts'
import type { RetryDecision } from '../../../wire/harness/retry-decision.ts'
import { cleanRefs, trim } from '../../text/clean.ts'
import { backoffMs } from './backoff.ts'
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
