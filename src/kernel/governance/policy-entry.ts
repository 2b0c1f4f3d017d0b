/** A line of `.premath/policy-log.jsonl`: what was put in force, by whom, and on what evidence. */
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { trim } from '../clean.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { instantOf } from '../work/timestamp.ts'
import { type Governed, type GovernedDocument, governedDocument } from './governed-document.ts'

export const policyLogPath = '.premath/policy-log.jsonl'
export const policyEntryKind = 'premath.policy_entry.v1'

export interface PolicyEntry extends GovernedDocument {
  readonly at: string
  readonly operator: string
  readonly reason: string
  /** The evidence that it was promoted on; absent where nobody asked for any. */
  readonly promotion: { readonly digest: string; readonly evidence: Json } | undefined
}

export interface EntryStamp {
  readonly at: string
  readonly operator: string
  readonly reason: string
  readonly evidence: Json | undefined
}

export function policyEntry(
  { what, digest, document }: GovernedDocument,
  { at, operator, reason, evidence }: EntryStamp,
  sha256: Sha256,
): PolicyEntry {
  const promotion =
    evidence === undefined ? undefined : { digest: evidenceDigest(evidence, sha256), evidence }
  return { what, digest, document, at, operator, reason, promotion }
}

export const evidenceDigest = (evidence: Json, sha256: Sha256): string =>
  `sha256:${sha256(canonicalJson(evidence))}`

export function printPolicyEntry({ promotion, ...entry }: PolicyEntry): string {
  const line = { schema: 1, entryKind: policyEntryKind, ...entry, ...(promotion && { promotion }) }
  return canonicalJson(line as unknown as Json)
}

/** The entry, or in words why the line is none. Its digests are computed again. */
export function readPolicyEntry(value: Json, sha256: Sha256): PolicyEntry | string {
  if (!isJsonObject(value)) return 'it is not an object'
  if (value['entryKind'] !== policyEntryKind || value['schema'] !== 1) {
    return `it is no ${policyEntryKind}`
  }
  const { at, operator, reason } = value
  if (!isText(at) || instantOf(at) === undefined) return 'at is no time'
  if (!isText(operator) || !isText(reason)) return 'operator or reason is missing'
  const told = governedDocument(value['document'] ?? null, sha256)
  if (typeof told === 'string') return `its document cannot be used: ${told}`
  if (told.what !== value['what'] || told.digest !== value['digest']) {
    return `its document is ${told.what} ${told.digest}, and not what it says`
  }
  const promotion = promotionIn(value, sha256)
  if (typeof promotion === 'string') return promotion
  return { ...told, at, operator, reason, promotion }
}

const isText = (value: Json | undefined): value is string =>
  typeof value === 'string' && trim(value) !== ''

function promotionIn(value: JsonObject, sha256: Sha256): PolicyEntry['promotion'] | string {
  const told = value['promotion']
  if (told === undefined) return undefined
  const evidence = isJsonObject(told) ? told['evidence'] : undefined
  if (!isJsonObject(told) || evidence === undefined) return 'its promotion has no evidence'
  const digest = evidenceDigest(evidence, sha256)
  return told['digest'] === digest ? { digest, evidence } : `its evidence is ${digest}`
}

/** What is told of an entry where its documents would be too much. */
export const entryBrief = ({ what, digest, at, operator, reason, promotion }: PolicyEntry) => ({
  at,
  digest,
  operator,
  promotionDigest: promotion?.digest ?? null,
  reason,
  what: what satisfies Governed,
})
