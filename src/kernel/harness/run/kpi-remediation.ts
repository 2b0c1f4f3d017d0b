/**
 * Remediations of a low KPI. Only steps after the last one are counted (TUSK-HARNESS-CONTRACT §13).
 */
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { instantOf, timestampOf } from '../../timestamp.ts'
import { secondOf, wholeText } from '../artifact.ts'
import { finishedAtOf } from '../step/trajectory.ts'
import { decideKpi, type KpiTally, type KpiThresholds, ratiosOf, remediationAction } from './kpi.ts'

export interface Remediation {
  readonly at: bigint
  readonly reason: string
}

/** A remediation needs a reason, so that a pause never ends without one. */
export function remediationOf(row: StepRow): Remediation | undefined {
  const given = row.reason
  if (row.action !== remediationAction || typeof given !== 'string') return undefined
  const reason = wholeText(given)
  return reason === '' ? undefined : { at: finishedAtOf(row), reason }
}

/**
 * Builds the row. Its time is never before the newest step, so that a wrong clock cannot leave old
 * steps counted. Returns `undefined` without a reason.
 */
export function remediationRow(
  given: string,
  { now, newest }: { readonly now: bigint; readonly newest: bigint },
): StepRow | undefined {
  const reason = wholeText(given)
  if (reason === '') return undefined
  const second = secondOf(now)
  return {
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId: `${remediationAction}.${now}`,
    action: remediationAction,
    resultClass: 'ok',
    instructionRefs: [],
    witnessRefs: [],
    lineageRefs: [],
    finishedAt: newest > (instantOf(second) ?? 0n) ? timestampOf(newest) : second,
    reason,
  }
}

/** Keeps the newest remediation. For equal times, the later row wins. */
export class LastRemediation {
  found: Remediation | undefined

  take(row: StepRow): void {
    const one = remediationOf(row)
    if (one && (this.found === undefined || one.at >= this.found.at)) this.found = one
  }
}

/**
 * Decides whether workers may be added. Expansion pauses while the KPI is low and no remediation is
 * recorded.
 */
export interface Expansion {
  readonly paused: boolean
  /** How many workers may run during the pause. */
  readonly workersAllowed?: number
  readonly reason: string
}

/** Uses a tally of the steps after the last remediation. */
export function expansionOf(tally: KpiTally, thresholds: KpiThresholds): Expansion {
  const counts = tally.counts()
  const decision = decideKpi(counts, ratiosOf(counts, tally.window.hours), thresholds)
  const { remediation } = tally
  const since = remediation ? `, since the remediation at ${timestampOf(remediation.at)}` : ''
  const reason = `${decision.reason}${since}`
  if (decision.state !== 'rollback') return { paused: false, reason }
  return { paused: true, workersAllowed: Math.max(1, counts.activeWorkers), reason }
}
