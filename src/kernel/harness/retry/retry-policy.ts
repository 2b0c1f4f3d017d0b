/**
 * The retry policy: how often a failure is retried and how it is escalated. Its digest binds the
 * content.
 */
import {
  RetryPolicy as Document,
  retryPolicyKind as kind,
} from '../../../wire/policy/retry-policy.ts'
import type { Sha256 } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import { badPolicy, type PolicyKind, readPolicy } from './control-policy.ts'

export const retryPolicyPath = 'policies/control/harness-retry-policy-v1.json'

export const retryPolicyKind = {
  noun: 'retry policy',
  prefix: 'retry_policy',
  kind,
  path: retryPolicyPath,
} as const satisfies PolicyKind

export type RetryRule = Omit<Document['rules'][number], 'failureClasses'>

export interface RetryPolicy extends Pick<Document, 'policyId' | 'policyDigest'> {
  /** For classes without a rule. */
  readonly defaultRule: RetryRule
  readonly rules: ReadonlyMap<string, RetryRule>
}

/** Reads the policy. Throws a fault for the first problem. */
export function readRetryPolicy(value: Json, path: string, sha256: Sha256): RetryPolicy {
  const document = readPolicy(value, Document, retryPolicyKind, { path, sha256 })
  const { policyId, policyDigest, defaultRule } = document
  const rules = rulesByClass(document)
  if (typeof rules === 'string') throw badPolicy(retryPolicyKind, 'invalid_shape', path, rules)
  return {
    policyId,
    policyDigest,
    defaultRule: { ...ruleOf(defaultRule), ruleId: 'default' },
    rules,
  }
}

const ruleOf = ({ maxAttempts, backoffClass, escalationAction }: Omit<RetryRule, 'ruleId'>) => ({
  maxAttempts,
  backoffClass,
  escalationAction,
})

/** A class in two rules would depend on their order: returns why the policy is wrong. */
function rulesByClass({ rules }: Document): ReadonlyMap<string, RetryRule> | string {
  const ids = new Set(['default'])
  const byClass = new Map<string, RetryRule>()
  for (const rule of rules) {
    const { ruleId, failureClasses } = rule
    if (ids.has(ruleId)) return `the ruleId ${ruleId} appears twice`
    ids.add(ruleId)
    for (const failureClass of failureClasses) {
      if (byClass.has(failureClass)) return `${failureClass} appears in two rules`
      byClass.set(failureClass, { ...ruleOf(rule), ruleId })
    }
  }
  return byClass
}
