/**
 * Decides whether workers may be added. Expansion pauses while the KPI is low and no remediation is
 * recorded.
 */
import { timestampOf } from '../../timestamp.ts'
import { decideKpi, type KpiTally, type KpiThresholds, ratiosOf } from './kpi.ts'

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
