/** Whether more workers may be taken on: not while those there do badly and nothing was done about it. */
import { timestampOf } from '../../timestamp.ts'
import { decideKpi, type KpiTally, type KpiThresholds, ratiosOf } from './kpi.ts'

export interface Expansion {
  readonly paused: boolean
  /** How many workers may run while it is paused. */
  readonly workersAllowed?: number
  readonly reason: string
}

/** From a tally of the steps that are newer than the last remediation. */
export function expansionOf(tally: KpiTally, thresholds: KpiThresholds): Expansion {
  const counts = tally.counts()
  const decision = decideKpi(counts, ratiosOf(counts, tally.window.hours), thresholds)
  const { remediation } = tally
  const since = remediation ? `, since the remediation at ${timestampOf(remediation.at)}` : ''
  const reason = `${decision.reason}${since}`
  if (decision.state !== 'rollback') return { paused: false, reason }
  return { paused: true, workersAllowed: Math.max(1, counts.activeWorkers), reason }
}
