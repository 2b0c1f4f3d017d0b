/**
 * The retry policy: how often each failure class is tried, and the escalation after that. Bound by
 * its digest.
 */
import {
  type BackoffClass,
  backoffClasses,
  type EscalationAction,
  escalationActions,
} from '../../../wire/policy/retry-words.ts'
import type { Sha256 } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import {
  type BadShape,
  type ControlPolicy,
  type PolicyKind,
  policyCount,
  policyNames,
  policyText,
  readPolicy,
} from './control-policy.ts'

export const retryPolicyPath = 'policies/control/harness-retry-policy-v1.json'

export const retryPolicyKind = {
  noun: 'retry policy',
  prefix: 'retry_policy',
  kind: 'ci.harness.retry.policy.v1',
  path: retryPolicyPath,
} as const satisfies PolicyKind

export interface RetryRule {
  readonly ruleId: string
  readonly maxAttempts: number
  readonly backoffClass: BackoffClass
  readonly escalationAction: EscalationAction
}

export interface RetryPolicy extends ControlPolicy {
  /** For classes without a rule. */
  readonly defaultRule: RetryRule
  readonly rules: ReadonlyMap<string, RetryRule>
}

/** Returns the policy, or throws a fault for the first problem. */
export function readRetryPolicy(value: Json, path: string, sha256: Sha256): RetryPolicy {
  return readPolicy(value, retryPolicyKind, { path, sha256 }, (document, bad) => {
    const reader = new PolicyReader(bad)
    return {
      defaultRule: reader.rule(document['defaultRule'], 'defaultRule', 'default'),
      rules: reader.rules(document['rules']),
    }
  })
}

/** Reads the members of one document. Each fault names the member. */
class PolicyReader {
  readonly #bad: BadShape

  constructor(bad: BadShape) {
    this.#bad = bad
  }

  rule(value: Json | undefined, at: string, ruleId: string): RetryRule {
    if (!isJsonObject(value)) throw this.#bad(`${at} is not an object`)
    return {
      ruleId,
      maxAttempts: policyCount(value['maxAttempts'], `${at}.maxAttempts`, this.#bad),
      backoffClass: this.#oneOf(value, 'backoffClass', at, backoffClasses),
      escalationAction: this.#oneOf(value, 'escalationAction', at, escalationActions),
    }
  }

  /**
   * Indexed by failure class. A class in two rules is refused, because the result would depend on
   * their order.
   */
  rules(value: Json | undefined): ReadonlyMap<string, RetryRule> {
    if (!Array.isArray(value) || value.length === 0) {
      throw this.#bad('rules is missing, empty or not a list')
    }
    const ids = new Set(['default'])
    const byClass = new Map<string, RetryRule>()
    for (const [place, raw] of (value as readonly Json[]).entries()) {
      const at = `rules[${place}]`
      const ruleId = isJsonObject(raw) ? this.#text(raw, 'ruleId', at) : ''
      const rule = this.rule(raw, at, ruleId)
      if (ids.has(ruleId)) throw this.#bad(`the ruleId ${ruleId} appears twice`)
      ids.add(ruleId)
      for (const failureClass of this.#classes(raw as JsonObject, at)) {
        if (byClass.has(failureClass)) throw this.#bad(`${failureClass} appears in two rules`)
        byClass.set(failureClass, rule)
      }
    }
    return byClass
  }

  #classes(rule: JsonObject, at: string): readonly string[] {
    const names = policyNames(rule['failureClasses'], `${at}.failureClasses`, this.#bad)
    if (names.length === 0) throw this.#bad(`${at}.failureClasses is empty`)
    return names
  }

  #text(object: JsonObject, field: string, at: string): string {
    return policyText(object, field, `${at}.${field}`, this.#bad)
  }

  #oneOf<T extends string>(object: JsonObject, field: string, at: string, known: readonly T[]): T {
    const given = this.#text(object, field, at)
    const found = known.find(one => one === given)
    if (found === undefined) throw this.#bad(`${at}.${field} is not one of ${known.join(', ')}`)
    return found
  }
}
