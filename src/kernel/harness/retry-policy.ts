/** How often a failure is tried again, and what happens then: data, bound by its digest. */
import { Fault, type FaultCode } from '../../fault.ts'
import {
  type BackoffClass,
  backoffClasses,
  type EscalationAction,
  escalationActions,
} from '../../wire/retry-words.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { trim } from '../clean.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

export const retryPolicyKind = 'ci.harness.retry.policy.v1'
export const retryPolicyPath = 'policies/control/harness-retry-policy-v1.json'

export interface RetryRule {
  readonly ruleId: string
  readonly maxAttempts: number
  readonly backoffClass: BackoffClass
  readonly escalationAction: EscalationAction
}

export interface RetryPolicy {
  readonly policyId: string
  readonly policyDigest: string
  /** For classes that have no rule. */
  readonly defaultRule: RetryRule
  readonly rules: ReadonlyMap<string, RetryRule>
}

/** Why a policy cannot be used, and the fault it is. */
const loadFaults = {
  retry_policy_missing: 'invalid_input',
  retry_policy_invalid_json: 'invalid_input',
  retry_policy_io_error: 'unavailable',
  retry_policy_invalid_shape: 'invalid_input',
  retry_policy_invalid_digest: 'corrupt',
} as const satisfies Record<string, FaultCode>

export type RetryPolicyFailure = keyof typeof loadFaults

export function badRetryPolicy(
  failureClass: RetryPolicyFailure,
  path: string,
  why: string,
  cause?: unknown,
): Fault {
  const message = `the retry policy ${path} cannot be used: ${why} (${failureClass})`
  return new Fault(loadFaults[failureClass], message, {
    hint: 'Nothing was decided. Mend the file, or leave it away to go by the policy premath brings.',
    detail: { failureClass, path },
    cause,
  })
}

/** `pol1_` and the hash of the document without its own digest, in canonical form. */
export function retryPolicyDigest(document: JsonObject, sha256: Sha256): string {
  const { policyDigest: _own, ...rest } = document
  return `pol1_${sha256(canonicalJson(rest))}`
}

/** The policy, or a fault with the first thing that is wrong with it. */
export function readRetryPolicy(value: Json, path: string, sha256: Sha256): RetryPolicy {
  const shape = (why: string) => badRetryPolicy('retry_policy_invalid_shape', path, why)
  const digest = (why: string) => badRetryPolicy('retry_policy_invalid_digest', path, why)
  if (!isJsonObject(value)) throw shape('it is not an object')
  if (value['schema'] !== 1) throw shape('its schema is not 1')
  if (value['policyKind'] !== retryPolicyKind)
    throw shape(`its policyKind is not ${retryPolicyKind}`)
  const reader = new PolicyReader(shape)
  const policyId = reader.text(value, 'policyId', 'policyId')
  const policyDigest = reader.text(value, 'policyDigest', 'policyDigest')
  if (!policyDigest.startsWith('pol1_')) throw digest('its policyDigest does not begin with pol1_')
  const policy = {
    policyId,
    policyDigest,
    defaultRule: reader.rule(value['defaultRule'], 'defaultRule', 'default'),
    rules: reader.rules(value['rules']),
  }
  const actual = retryPolicyDigest(value, sha256)
  if (policyDigest !== actual) {
    throw digest(`its digest is ${actual}, not ${policyDigest} as it says`)
  }
  return policy
}

/** Reads the parts of one document; each refusal names the member. */
class PolicyReader {
  readonly #bad: (why: string) => Fault

  constructor(bad: (why: string) => Fault) {
    this.#bad = bad
  }

  text(object: JsonObject, field: string, at: string): string {
    const value = object[field]
    if (typeof value !== 'string' || trim(value) === '') {
      throw this.#bad(`${at} is missing, blank or not text`)
    }
    return trim(value)
  }

  rule(value: Json | undefined, at: string, ruleId: string): RetryRule {
    if (!isJsonObject(value)) throw this.#bad(`${at} is not an object`)
    const { maxAttempts } = value as { readonly maxAttempts?: Json }
    if (!Number.isSafeInteger(maxAttempts) || Number(maxAttempts) < 1) {
      throw this.#bad(`${at}.maxAttempts is not a whole number from 1`)
    }
    return {
      ruleId,
      maxAttempts: Number(maxAttempts),
      backoffClass: this.#oneOf(value, 'backoffClass', at, backoffClasses),
      escalationAction: this.#oneOf(value, 'escalationAction', at, escalationActions),
    }
  }

  /** By failure class: one that stood in two rules would go by their order. */
  rules(value: Json | undefined): ReadonlyMap<string, RetryRule> {
    if (!Array.isArray(value) || value.length === 0) {
      throw this.#bad('rules is missing, empty or not a list')
    }
    const ids = new Set(['default'])
    const byClass = new Map<string, RetryRule>()
    for (const [place, raw] of (value as readonly Json[]).entries()) {
      const at = `rules[${place}]`
      const ruleId = isJsonObject(raw) ? this.text(raw, 'ruleId', `${at}.ruleId`) : ''
      const rule = this.rule(raw, at, ruleId)
      if (ids.has(ruleId)) throw this.#bad(`the ruleId ${ruleId} is given twice`)
      ids.add(ruleId)
      for (const failureClass of this.#classes(raw as JsonObject, at)) {
        if (byClass.has(failureClass)) throw this.#bad(`${failureClass} stands in two rules`)
        byClass.set(failureClass, rule)
      }
    }
    return byClass
  }

  #classes(rule: JsonObject, at: string): readonly string[] {
    const value = rule['failureClasses']
    const named = Array.isArray(value) && value.length > 0
    if (!named || !value.every(one => typeof one === 'string' && trim(one) !== '')) {
      throw this.#bad(`${at}.failureClasses is not a list of names`)
    }
    return value.map(trim)
  }

  #oneOf<T extends string>(object: JsonObject, field: string, at: string, known: readonly T[]): T {
    const given = this.text(object, field, `${at}.${field}`)
    const found = known.find(one => one === given)
    if (found === undefined) throw this.#bad(`${at}.${field} is none of ${known.join(', ')}`)
    return found
  }
}
