/** A line of `.premath/policy-log.jsonl`: a document put in force, with operator and evidence. */
import { PolicyEntry as Line, policyEntryKind } from '../../wire/policy/policy-entry.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import { canonicalJson, type Digest, digestOf, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { trim } from '../text/clean.ts'
import { instantOf } from '../timestamp.ts'
import { type GovernedDocument, governedDocument } from './governed-document.ts'

export const policyLogPath = '.premath/policy-log.jsonl'

/** The entry digest covers `previous`, and so all lines before it. */
export interface PolicyEntry
  extends GovernedDocument,
    Pick<Line, 'at' | 'operator' | 'uid' | 'reason' | 'previous' | 'entryDigest'> {
  /** The evidence as given. Readers check it each time they rely on it. */
  readonly promotion: { readonly digest: Digest; readonly evidence: Json } | undefined
}

interface EntryStamp extends Pick<Line, 'at' | 'operator' | 'reason'> {
  readonly uid?: number | undefined
  readonly evidence: Json | undefined
}

/** `previous` is the entry digest of the line before. */
export function policyEntry(
  { what, digest, document }: GovernedDocument,
  { at, operator, uid, reason, evidence }: EntryStamp,
  previous: Line['previous'],
  sha256: Sha256,
): PolicyEntry {
  const promotion =
    evidence === undefined ? undefined : { digest: digestOf(evidence, sha256), evidence }
  const entry = { what, digest, document, at, operator, uid, reason, promotion, previous }
  return { ...entry, entryDigest: entryDigest(lineOf(entry), sha256) }
}

export function printPolicyEntry({ entryDigest, ...entry }: PolicyEntry): string {
  return canonicalJson({ ...lineOf(entry), entryDigest })
}

function lineOf({ promotion, uid, ...entry }: Omit<PolicyEntry, 'entryDigest'>): JsonObject {
  return {
    schema: 1,
    entryKind: policyEntryKind,
    ...entry,
    ...(uid !== undefined && { uid }),
    ...(promotion && { promotion }),
  }
}

function entryDigest(line: JsonObject, sha256: Sha256): Digest {
  const { entryDigest: _, ...hashed } = line
  return digestOf(hashed, sha256)
}

/** The entry with its digests recomputed, or the first flaw of the line. */
export function readPolicyEntry(value: Json, sha256: Sha256): PolicyEntry | string {
  if (!isJsonObject(value)) return 'it is not an object'
  if (value['entryKind'] !== policyEntryKind || value['schema'] !== 1) {
    return `it is no ${policyEntryKind}`
  }
  const { at, operator, reason } = value
  if (!isText(at) || instantOf(at) === undefined) return 'at is no time'
  if (!isText(operator) || !isText(reason)) return 'operator or reason is missing'
  const governed = governedDocument(value['document'] ?? null, sha256)
  if (typeof governed === 'string') return `its document cannot be used: ${governed}`
  if (governed.what !== value['what'] || governed.digest !== value['digest']) {
    return `its document is ${governed.what} ${governed.digest}, not the recorded one`
  }
  const promotion = promotionIn(value, sha256)
  if (typeof promotion === 'string') return promotion
  const previous = shaped(Line.members.previous, value['previous'])
  const own = entryDigest(value, sha256)
  if (value['entryDigest'] !== own || previous instanceof Flaw) {
    return `its content has the digest ${own}, not its entryDigest`
  }
  const uid = typeof value['uid'] === 'number' ? { uid: value['uid'] } : {}
  return { ...governed, at, operator, ...uid, reason, promotion, previous, entryDigest: own }
}

/** The index of the first entry that does not follow the one before; -1 if there is none. */
export const brokenLink = (entries: readonly PolicyEntry[]): number =>
  entries.findIndex(({ previous }, at) => previous !== (entries[at - 1]?.entryDigest ?? null))

const isText = (value: Json | undefined): value is string =>
  typeof value === 'string' && trim(value) !== ''

function promotionIn(value: JsonObject, sha256: Sha256): PolicyEntry['promotion'] | string {
  const promotion = value['promotion']
  if (promotion === undefined) return undefined
  const evidence = isJsonObject(promotion) ? promotion['evidence'] : undefined
  if (!isJsonObject(promotion) || evidence === undefined) return 'its promotion has no evidence'
  const digest = digestOf(evidence, sha256)
  return promotion['digest'] === digest ? { digest, evidence } : `its evidence is ${digest}`
}

/** An entry without its documents, for lists. */
export const entryBrief = ({
  what,
  digest,
  at,
  operator,
  uid,
  reason,
  promotion,
  entryDigest,
}: PolicyEntry) => ({
  at,
  digest,
  entryDigest,
  operator,
  promotionDigest: promotion?.digest ?? null,
  reason,
  ...(uid !== undefined && { uid }),
  what,
})
