/** The decomposition policy: how work may be split among workers. Bound by its digest. */
import type { executionPatterns } from '../../../wire/turn/turn-evidence.ts'
import type { Sha256 } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import { lowerAscii } from '../../text/clean.ts'
import {
  type ControlPolicy,
  type PolicyKind,
  policyCount,
  policyNames,
  readPolicy,
} from '../retry/control-policy.ts'

export const decompositionPolicyKind = {
  noun: 'decomposition policy',
  prefix: 'decomposition_policy',
  kind: 'ci.harness.decomposition.policy.v1',
  path: 'policies/control/harness-decomposition-policy-v1.json',
} as const satisfies PolicyKind

export interface DecompositionPolicy extends ControlPolicy {
  /** In lower case. If absent, every pattern is allowed. */
  readonly patterns?: readonly string[]
  readonly maxFanOut: number
}

/** Returns the policy, or throws a fault for the first problem. */
export function readDecompositionPolicy(
  value: Json,
  path: string,
  sha256: Sha256,
): DecompositionPolicy {
  return readPolicy(value, decompositionPolicyKind, { path, sha256 }, (document, bad) => {
    const { patterns } = document as { readonly patterns?: Json }
    return {
      ...(patterns !== undefined && {
        patterns: policyNames(patterns, 'patterns', bad).map(lowerAscii),
      }),
      maxFanOut: policyCount(document['maxFanOut'], 'maxFanOut', bad),
    }
  })
}

export interface FanOut {
  readonly pattern: (typeof executionPatterns)[number]
  readonly workers: number
}

/** Returns a message for each violation. A single worker is never a fan-out. */
export function fanOutViolations(
  { patterns, maxFanOut }: DecompositionPolicy,
  { pattern, workers }: FanOut,
): readonly string[] {
  if (workers <= 1) return []
  const isAdmitted = patterns === undefined || patterns.includes(pattern)
  return [
    ...(isAdmitted
      ? []
      : [`the pattern is ${pattern}, but the policy allows ${patterns.join(', ') || 'none'}`]),
    ...(workers > maxFanOut
      ? [`the fan-out is ${workers} workers, but the policy allows ${maxFanOut}`]
      : []),
  ]
}
