/** What a step hands over to another location, named by the digest of what it says. */
import type { Relocation } from '../../../wire/relocation/relocation.ts'
import { canonicalJson, type Digest, digestOf, prettyJson, type Sha256 } from '../../canonical.ts'
import type { Issue } from '../../issues/issue.ts'
import { isJsonObject, type Json, jsonIn } from '../../json.ts'

export const relocationKind = 'premath.harness.relocation.v1'

/** From the project's folder. */
export const relocationFolder = 'artifacts/relocations'

export interface SentRelocation {
  readonly relocation: Relocation
  /** In lower-case hexadecimal. */
  readonly digest: string
  /** As its file holds it. */
  readonly text: string
}

/** What a yes from elsewhere goes by, beside the files: it counts as long as both stay so. */
export type SentTerms = Pick<Relocation, 'issueDigest' | 'mutationPolicyDigest'>

/** No clock and no chance: the same step hands over the same bytes. */
export function relocationOf(
  parts: Omit<Relocation, 'schema' | 'relocationKind'>,
  sha256: Sha256,
): SentRelocation {
  const relocation: Relocation = { schema: 1, relocationKind, ...parts }
  const digest = sha256(canonicalJson(relocation))
  return { relocation, digest, text: `${prettyJson(relocation)}\n` }
}

export const relocationFile = (digest: string): string => `${relocationFolder}/${digest}.json`

/** A location is written like an address; a name without one is somebody here. */
export const isLocation = (target: string): boolean => target.includes('://')

/** What is asked for; who holds the issue, and since when, changes with every claim. */
export const issueDigestOf = (
  { id, title, description, design, acceptance_criteria }: Issue,
  sha256: Sha256,
): Digest => digestOf({ id, title, description, design, acceptance_criteria }, sha256)

export const termsOf = ({ issueDigest, mutationPolicyDigest }: SentTerms): SentTerms => ({
  issueDigest,
  mutationPolicyDigest,
})

/** What is not as it was sent any more, in words. */
export function changedTerm(
  { issueDigest, mutationPolicyDigest }: SentTerms,
  now: { readonly issue: Issue; readonly mutationPolicyDigest: string },
  sha256: Sha256,
): string | undefined {
  if (issueDigestOf(now.issue, sha256) !== issueDigest) return `what ${now.issue.id} asks for`
  return now.mutationPolicyDigest === mutationPolicyDigest ? undefined : 'the policy'
}

/** Whether the text is what the digest names, however it is laid out. */
export function isNamedBy(digest: string, text: string, sha256: Sha256): boolean {
  const value: Json | undefined = jsonIn(text)
  return isJsonObject(value) && sha256(canonicalJson(value)) === digest
}
