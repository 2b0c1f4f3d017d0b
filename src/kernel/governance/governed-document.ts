/** Policy, checks and instructions: they limit agents, so a change of them needs a promotion. */

import type { PolicyEntry } from '../../wire/policy/policy-entry.ts'
import {
  type MutationPolicy,
  mutationPolicyDigest,
  mutationPolicyPath,
  readMutationPolicy,
} from '../authority/mutation-policy.ts'
import { type Digest, digestOf, type Sha256 } from '../canonical.ts'
import { type Checks, checksPath, readChecks } from '../instruction/checks.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** Relative to the root. */
export const governedPaths = { policy: mutationPolicyPath, checks: checksPath } as const
/** Those that have one file in the project. An instruction stays where it is. */
export type Governed = Exclude<PolicyEntry['what'], 'instruction'>

export interface GovernedDocument extends Pick<PolicyEntry, 'what' | 'digest'> {
  readonly document: JsonObject
}

/** The document with its kind and digest, or its first flaw. */
export function governedDocument(value: Json, sha256: Sha256): GovernedDocument | string {
  if (!isJsonObject(value)) return 'it is not an object'
  if (saysAny(value, ['surfaces', 'policyKind']) && saysAny(value, ['checks', 'checksKind'])) {
    return 'it is both a policy and checks; put each in force by itself'
  }
  if (value['checksKind'] !== undefined) {
    const checks = readChecks(value)
    if (typeof checks === 'string') return checks
    return { what: 'checks', digest: checksDigest(checks, sha256), document: value }
  }
  if (saysAny(value, ['requestedChecks'])) {
    return { what: 'instruction', digest: digestOf(value, sha256), document: value }
  }
  const policy = readMutationPolicy(value)
  if (typeof policy === 'string') return policy
  return { what: 'policy', digest: mutationPolicyDigest(policy, sha256), document: value }
}

const saysAny = (value: JsonObject, names: readonly string[]) =>
  names.some(name => value[name] !== undefined)

export const checksDigest = (checks: Checks, sha256: Sha256): Digest =>
  digestOf(Object.fromEntries(checks), sha256)

/** Cannot fail, because the document was validated before. */
export function policyOf({ document }: Pick<GovernedDocument, 'document'>): MutationPolicy {
  return readMutationPolicy(document) as MutationPolicy
}

export function checksOf({ document }: Pick<GovernedDocument, 'document'>): Checks {
  return readChecks(document) as Checks
}
