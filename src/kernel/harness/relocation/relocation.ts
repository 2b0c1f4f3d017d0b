/** The inputs that a step sends to another location, named by their digest. */
import type { Relocation } from '../../../wire/relocation/relocation.ts'
import { canonicalJson, type Digest, digestOf, prettyJson, type Sha256 } from '../../canonical.ts'
import type { Issue } from '../../issues/issue.ts'
import { isJsonObject, type Json, jsonIn } from '../../json.ts'

const relocationKind = 'premath.harness.relocation.v1'

/** Relative to the project root. */
export const relocationFolder = 'artifacts/relocations'

export interface SentRelocation {
  readonly relocation: Relocation
  /** In lower-case hexadecimal. */
  readonly digest: string
  /** The content of the file. */
  readonly text: string
}

/** The remote verdict counts only while these two stay the same. */
export type SentTerms = Pick<Relocation, 'issueDigest' | 'mutationPolicyDigest'>

/** Contains no time and no random value, so the same step sends the same bytes. */
export function relocationOf(
  parts: Omit<Relocation, 'schema' | 'relocationKind'>,
  sha256: Sha256,
): SentRelocation {
  const relocation: Relocation = { schema: 1, relocationKind, ...parts }
  const digest = sha256(canonicalJson(relocation))
  return { relocation, digest, text: `${prettyJson(relocation)}\n` }
}

export const relocationFile = (digest: string): string => `${relocationFolder}/${digest}.json`

/** A location has a URI scheme. A name without one is a local target. */
export const isLocation = (target: string): boolean => target.includes('://')

/** Covers the request only. The lease and its times change with every claim. */
export const issueDigestOf = (
  { id, title, description, design, acceptance_criteria }: Issue,
  sha256: Sha256,
): Digest => digestOf({ id, title, description, design, acceptance_criteria }, sha256)

export const termsOf = ({ issueDigest, mutationPolicyDigest }: SentTerms): SentTerms => ({
  issueDigest,
  mutationPolicyDigest,
})

/** Names what changed since it was sent. */
export function changedTerm(
  { issueDigest, mutationPolicyDigest }: SentTerms,
  now: { readonly issue: Issue; readonly mutationPolicyDigest: string },
  sha256: Sha256,
): string | undefined {
  if (issueDigestOf(now.issue, sha256) !== issueDigest) return `the content of ${now.issue.id}`
  return now.mutationPolicyDigest === mutationPolicyDigest ? undefined : 'the policy'
}

/** True if the digest of the text matches. Formatting does not matter. */
export function isNamedBy(digest: string, text: string, sha256: Sha256): boolean {
  const value: Json | undefined = jsonIn(text)
  return isJsonObject(value) && sha256(canonicalJson(value)) === digest
}
