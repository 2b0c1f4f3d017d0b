/** The decomposition policy: how work may be split among workers. Bound by its digest. */
import {
  DecompositionPolicy,
  decompositionPolicyKind as kind,
} from '../../../wire/policy/decomposition-policy.ts'
import type { executionPatterns } from '../../../wire/turn/turn-evidence.ts'
import type { Sha256 } from '../../canonical.ts'
import type { Json } from '../../json.ts'
import { lowerAscii } from '../../text/clean.ts'
import { type PolicyKind, readPolicy } from '../retry/control-policy.ts'

export const decompositionPolicyKind = {
  noun: 'decomposition policy',
  prefix: 'decomposition_policy',
  kind,
  path: 'policies/control/harness-decomposition-policy-v1.json',
} as const satisfies PolicyKind

/** Reads the policy, with its patterns in lower case. Throws a fault for the first problem. */
export function readDecompositionPolicy(
  value: Json,
  path: string,
  sha256: Sha256,
): DecompositionPolicy {
  const policy = readPolicy(value, DecompositionPolicy, decompositionPolicyKind, { path, sha256 })
  const { patterns } = policy
  return patterns === undefined ? policy : { ...policy, patterns: patterns.map(lowerAscii) }
}

interface FanOut {
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
