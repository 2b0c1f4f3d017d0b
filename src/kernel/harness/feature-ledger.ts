/**
 * The feature ledger: one row per feature with its state and its verification refs (HARNESS-RUNTIME
 * §5).
 */
import { byCodePoint } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { trim } from '../text/clean.ts'
import {
  type ArtifactName,
  artifactIn,
  badArtifact,
  filled,
  isSameWork,
  listed,
  optionalIn,
  othersIn,
  printArtifact,
  replaced,
  replacedRefs,
  secondOf,
  textsIn,
  wholeText,
} from './artifact.ts'

export const ledgerKind = 'premath.harness.feature_ledger.v1'
export const ledgerNoun = 'feature ledger'
export const ledgerPathDefault = '.premath/harness_feature_ledger.json'

export const featureStatuses = ['pending', 'in_progress', 'blocked', 'completed'] as const
export type FeatureStatus = (typeof featureStatuses)[number]

/** A row as read, without validation. `checkLedger` reports its problems. */
export interface Feature {
  readonly featureId: string
  readonly status: string
  readonly issueId: string | undefined
  readonly summary: string | undefined
  readonly instructionRefs: readonly string[]
  readonly verificationRefs: readonly string[]
  readonly updatedAt: string
  readonly others: JsonObject
}

export interface FeatureLedger {
  readonly sessionRef: string | undefined
  readonly updatedAt: string
  readonly features: readonly Feature[]
  readonly others: JsonObject
}

/** The summary of an accepted ledger. */
export interface FeatureProjection {
  readonly closureComplete: boolean
  readonly featureCount: number
  readonly nextFeatureId: string | undefined
}

const ledgerMembers: ReadonlySet<string> = new Set([
  'schema',
  'ledgerKind',
  'sessionRef',
  'updatedAt',
  'features',
])

const featureMembers: ReadonlySet<string> = new Set([
  'featureId',
  'status',
  'issueId',
  'summary',
  'instructionRefs',
  'verificationRefs',
  'updatedAt',
])

export function readLedger(value: Json, path: string): FeatureLedger {
  const name: ArtifactName = { noun: ledgerNoun, path }
  const raw = artifactIn(value, name, { kindField: 'ledgerKind', kind: ledgerKind })
  const rows = raw['features'] ?? []
  if (!Array.isArray(rows)) throw badArtifact(name, 'features is not a list')
  return {
    sessionRef: optionalIn(raw, 'sessionRef', name),
    updatedAt: plainText(raw, 'updatedAt', name),
    features: (rows as readonly Json[]).map((row, at) => readFeature(row, name, at)),
    others: othersIn(raw, ledgerMembers),
  }
}

function readFeature(value: Json, name: ArtifactName, at: number): Feature {
  if (!isJsonObject(value)) throw badArtifact(name, `features[${at}] is not an object`)
  return {
    featureId: plainText(value, 'featureId', name),
    status: plainText(value, 'status', name),
    issueId: optionalIn(value, 'issueId', name),
    summary: optionalIn(value, 'summary', name),
    instructionRefs: textsIn(value, 'instructionRefs', name),
    verificationRefs: textsIn(value, 'verificationRefs', name),
    updatedAt: plainText(value, 'updatedAt', name),
    others: othersIn(value, featureMembers),
  }
}

/** Not trimmed, because the check reports blank text. */
function plainText(object: JsonObject, field: string, name: ArtifactName): string {
  const value = object[field] ?? ''
  if (typeof value !== 'string') throw badArtifact(name, `${field} is not text`)
  return value
}

export interface FeatureWrite {
  readonly featureId: string
  readonly status: FeatureStatus
  /** An omitted value stays. An empty text clears it. */
  readonly issueId?: string | undefined
  readonly summary?: string | undefined
  readonly sessionRef?: string | undefined
  /** A list replaces the old one. A list of empty texts clears it. */
  readonly instructionRefs?: readonly string[] | undefined
  readonly verificationRefs?: readonly string[] | undefined
}

/** Returns the ledger with the row inserted or replaced, in order. */
export function writeFeature(
  before: FeatureLedger | undefined,
  write: FeatureWrite,
  now: bigint,
): FeatureLedger {
  const updatedAt = secondOf(now)
  const featureId = wholeText(write.featureId)
  const rows = before?.features ?? []
  // Matches a hand-written row with spaces around its id.
  const old = rows.find(row => trim(row.featureId) === featureId)
  const issueId = replaced(write.issueId, old?.issueId)
  const kept = isSameWork(old?.issueId, issueId) ? old : undefined
  const row: Feature = {
    featureId,
    status: write.status,
    issueId,
    summary: replaced(write.summary, old?.summary),
    instructionRefs: replacedRefs(write.instructionRefs, kept?.instructionRefs),
    verificationRefs: replacedRefs(write.verificationRefs, kept?.verificationRefs),
    updatedAt,
    others: old?.others ?? {},
  }
  const features = [...rows.filter(other => other !== old), row]
  return {
    sessionRef: replaced(write.sessionRef, before?.sessionRef),
    updatedAt,
    features: features.sort((a, b) => byCodePoint(a.featureId, b.featureId)),
    others: before?.others ?? {},
  }
}

/**
 * The first feature in progress, otherwise the first pending one, by id. `undefined` if all are
 * completed or blocked.
 */
export function nextFeature({ features }: FeatureLedger): string | undefined {
  for (const status of ['in_progress', 'pending']) {
    const ids = features.filter(row => row.status === status).map(row => trim(row.featureId))
    const [first] = ids.sort(byCodePoint)
    if (first !== undefined) return first
  }
  return undefined
}

export function ledgerDocument(ledger: FeatureLedger): JsonObject {
  const { sessionRef, updatedAt, features, others } = ledger
  return {
    schema: 1,
    ledgerKind,
    ...(sessionRef !== undefined && { sessionRef }),
    updatedAt,
    features: features.map(featureDocument),
    ...others,
  }
}

function featureDocument(row: Feature): JsonObject {
  const document = {
    featureId: row.featureId,
    status: row.status,
    issueId: row.issueId,
    summary: row.summary,
    instructionRefs: listed(row.instructionRefs),
    verificationRefs: listed(row.verificationRefs),
    updatedAt: row.updatedAt,
  }
  return { ...filled(document), ...row.others }
}

export const printLedger = (ledger: FeatureLedger) => printArtifact(ledgerDocument(ledger))
