/** Checks a feature ledger and reports failure classes in the order they are found. */
import {
  type Feature,
  type FeatureLedger,
  type FeatureStatus,
  featureStatuses,
} from '../../wire/harness/feature-ledger.ts'
import type { LedgerCheck } from '../../wire/harness/ledger-check.ts'
import { byCodePoint } from '../canonical.ts'
import { trim } from '../text/clean.ts'
import { type FeatureProjection, nextFeature } from './feature-ledger.ts'

const inProgressName = 'in_progress.non_contractible'
const inProgressClass = `harness_feature_ledger.${inProgressName}`

type Report = 'checkKind' | 'errors' | 'failureClasses' | 'nextFeatureId' | 'result' | 'summary'
export type CheckedLedger = Pick<LedgerCheck, Report>
export type LedgerFlaw = LedgerCheck['errors'][number]

export function checkLedger(ledger: FeatureLedger, requireClosure: boolean): CheckedLedger {
  const named = ledger.features.filter(row => trim(row.featureId) !== '')
  const countOf = (status: FeatureStatus) => named.filter(row => row.status === status).length
  const found = [...headFlaws(ledger), ...rowFlaws(ledger.features), ...progressFlaws(named)]
  const featureCount = ledger.features.length
  const completedCount = countOf('completed')
  const closureComplete = found.length === 0 && featureCount > 0 && completedCount === featureCount
  const open = requireClosure && !closureComplete
  const errors = open
    ? [...found, flaw('closure_incomplete', 'require-closure set but ledger is not closed')]
    : found
  return {
    checkKind: 'premath.harness.feature_ledger.check.v1',
    errors,
    failureClasses: [...new Set(errors.map(error => error.class))].sort(byCodePoint),
    nextFeatureId: nextFeature(ledger) ?? null,
    result: errors.length === 0 ? 'accepted' : 'rejected',
    summary: {
      blockedCount: countOf('blocked'),
      closureComplete,
      completedCount,
      featureCount,
      inProgressCount: countOf('in_progress'),
      pendingCount: countOf('pending'),
    },
  }
}

/**
 * The flaws for which a write of the feature is refused: those of its row, and those that the ledger
 * did not have before. Old flaws of other rows do not prevent a correction.
 */
export function writeFlaws(
  before: FeatureLedger | undefined,
  after: FeatureLedger,
  featureId: string,
): readonly LedgerFlaw[] {
  const keyOf = ({ class: name, featureId: id = '' }: LedgerFlaw) => `${name} ${id}`
  const known = new Set(before ? checkLedger(before, false).errors.map(keyOf) : [])
  const isInProgress = after.features.some(
    row => row.featureId === featureId && row.status === 'in_progress',
  )
  return checkLedger(after, false).errors.filter(
    one =>
      one.featureId === featureId ||
      !known.has(keyOf(one)) ||
      (isInProgress && one.class === inProgressClass),
  )
}

interface LedgerRejection {
  readonly failureClasses: readonly string[]
}

/** Returns the summary of the ledger, or the failure classes of a rejected one. */
export function projectLedger(ledger: FeatureLedger): FeatureProjection | LedgerRejection {
  const { result, failureClasses, nextFeatureId, summary } = checkLedger(ledger, false)
  if (result === 'rejected') return { failureClasses }
  const { closureComplete, featureCount } = summary
  return { closureComplete, featureCount, nextFeatureId }
}

const flaw = (name: string, message: string, featureId?: string): LedgerFlaw => ({
  class: `harness_feature_ledger.${name}`,
  ...(featureId !== undefined && { featureId }),
  message,
})

function headFlaws({ updatedAt, features }: FeatureLedger): readonly LedgerFlaw[] {
  const found: LedgerFlaw[] = []
  if (trim(updatedAt) === '') {
    found.push(flaw('updated_at.empty', 'ledger.updatedAt must be non-empty'))
  }
  if (features.length === 0) {
    found.push(flaw('empty', 'ledger.features must contain at least one row'))
  }
  return found
}

function rowFlaws(features: readonly Feature[]): readonly LedgerFlaw[] {
  const seen = new Set<string>()
  return features.flatMap(row => {
    const id = trim(row.featureId)
    if (id === '') return [flaw('feature_id.empty', 'featureId must be non-empty')]
    const repeated = seen.has(id)
    seen.add(id)
    return [
      ...(repeated ? [flaw('feature_id.duplicate', 'featureId must be unique', id)] : []),
      ...ownFlaws(row, id),
    ]
  })
}

function ownFlaws(row: Feature, id: string): readonly LedgerFlaw[] {
  const { status, updatedAt, instructionRefs, verificationRefs } = row
  const isBlank = (ref: string) => trim(ref) === ''
  const found: LedgerFlaw[] = []
  if (trim(updatedAt) === '') {
    found.push(flaw('feature.updated_at.empty', 'feature.updatedAt must be non-empty', id))
  }
  if (!featureStatuses.some(known => known === status)) {
    const expected = featureStatuses.join('|')
    const message = `feature status \`${status}\` is invalid (expected ${expected})`
    found.push(flaw('status.invalid', message, id))
  }
  if (status === 'completed' && verificationRefs.length === 0) {
    const message = 'completed feature requires at least one verificationRef'
    found.push(flaw('completed_missing_verification_ref', message, id))
  }
  if (instructionRefs.some(isBlank)) {
    found.push(flaw('instruction_ref.empty', 'instructionRef entries must be non-empty', id))
  }
  if (verificationRefs.some(isBlank)) {
    found.push(flaw('verification_ref.empty', 'verificationRef entries must be non-empty', id))
  }
  return found
}

function progressFlaws(features: readonly Feature[]): readonly LedgerFlaw[] {
  const working = features.filter(row => row.status === 'in_progress')
  if (working.length < 2) return []
  return [flaw(inProgressName, 'at most one feature may be in_progress')]
}
