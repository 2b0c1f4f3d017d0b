/**
 * The feature ledger: one row per feature with its state and its verification refs (HARNESS-RUNTIME
 * §5).
 */
import {
  type Feature,
  FeatureLedger,
  type FeatureStatus,
} from '../../wire/harness/feature-ledger.ts'
import { printDocument } from '../artifact/print.ts'
import { byCodePoint } from '../canonical.ts'
import type { Json } from '../json.ts'
import { trim } from '../text/clean.ts'
import {
  isSameWork,
  readArtifact,
  replaced,
  replacedRefs,
  secondOf,
  wholeText,
} from './artifact.ts'

export const ledgerNoun = 'feature ledger'
export const ledgerPathDefault = '.premath/harness_feature_ledger.json'

export const readLedger = (value: Json, path: string): FeatureLedger =>
  readArtifact(FeatureLedger, value, { noun: ledgerNoun, path })

export const printLedger = (ledger: FeatureLedger): string => printDocument(FeatureLedger, ledger)

/** The summary of an accepted ledger. */
export interface FeatureProjection {
  readonly closureComplete: boolean
  readonly featureCount: number
  readonly nextFeatureId: string | null
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
    ...old,
    featureId,
    status: write.status,
    issueId,
    summary: replaced(write.summary, old?.summary),
    instructionRefs: replacedRefs(write.instructionRefs, kept?.instructionRefs),
    verificationRefs: replacedRefs(write.verificationRefs, kept?.verificationRefs),
    updatedAt,
  }
  const features = [...rows.filter(other => other !== old), row]
  return {
    ...before,
    schema: 1,
    ledgerKind: 'premath.harness.feature_ledger.v1',
    sessionRef: replaced(write.sessionRef, before?.sessionRef),
    updatedAt,
    features: features.sort((a, b) => byCodePoint(a.featureId, b.featureId)),
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
