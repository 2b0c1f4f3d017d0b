/** Reads the KPI of a trajectory and whether it allows more workers. */
import { KpiTally, kpiDefaults, windowBefore } from '../../kernel/harness/run/kpi.ts'
import {
  type Expansion,
  expansionOf,
  LastRemediation,
  type Remediation,
} from '../../kernel/harness/run/kpi-remediation.ts'
import { finishedAtOf } from '../../kernel/harness/step/trajectory.ts'
import type { TrajectoryLog, TrajectoryState } from '../../store/trajectory/trajectory-log.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'

/** Uses the default thresholds, as a coordinator does. */
export async function openExpansion(log: TrajectoryLog): Promise<Expansion> {
  const { sinceRemediation } = await measureKpi(log, kpiDefaults.windowHours)
  return expansionOf(sinceRemediation, kpiDefaults)
}

interface KpiMeasure {
  readonly tally: KpiTally
  /** Counts only steps after the last remediation. */
  readonly sinceRemediation: KpiTally
  /** The last remediation in the window. An older one does not exclude any step. */
  readonly remediation: Remediation | undefined
  readonly state: TrajectoryState
}

export async function measureKpi(log: TrajectoryLog, windowHours: number): Promise<KpiMeasure> {
  const window = windowBefore(await newestIn(log), windowHours)
  const { gathered, ...state } = await log.gather({ mode: 'latest', since: window.start }, () => {
    const [tally, last] = [new KpiTally(window), new LastRemediation()]
    const take = (row: StepRow) => {
      tally.take(row)
      last.take(row)
    }
    return { tally, last, take }
  })
  const { tally, last } = gathered
  const remediation = last.found
  if (!remediation) return { tally, sinceRemediation: tally, remediation, state }
  // The last remediation is known only at the end of the file, so the steps after it need a second
  // pass.
  const again = await log.gather(
    { mode: 'latest', since: remediation.at },
    () => new KpiTally(window, remediation),
  )
  return { tally, sinceRemediation: again.gathered, remediation, state }
}

/** The finish time of the newest step. */
export async function newestIn(log: TrajectoryLog): Promise<bigint> {
  const { rows } = await log.query({ mode: 'latest', limit: 1 })
  return rows[0] ? finishedAtOf(rows[0]) : 0n
}
