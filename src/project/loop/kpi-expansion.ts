/** The KPI of a trajectory, and whether it lets more workers be taken on. */
import { KpiTally, kpiDefaults, windowBefore } from '../../kernel/harness/run/kpi.ts'
import { type Expansion, expansionOf } from '../../kernel/harness/run/kpi-expansion.ts'
import { LastRemediation, type Remediation } from '../../kernel/harness/run/kpi-remediation.ts'
import type { StepRow } from '../../kernel/harness/step/step-row.ts'
import { finishedAtOf } from '../../kernel/harness/step/trajectory.ts'
import type { TrajectoryLog, TrajectoryState } from '../../store/trajectory/trajectory-log.ts'

/** By the thresholds that hold unless somebody asks otherwise; for who takes on workers. */
export async function openExpansion(log: TrajectoryLog): Promise<Expansion> {
  const { sinceRemediation } = await measureKpi(log, kpiDefaults.windowHours)
  return expansionOf(sinceRemediation, kpiDefaults)
}

export interface KpiMeasure {
  readonly tally: KpiTally
  /** The same without what came before the last remediation. */
  readonly sinceRemediation: KpiTally
  /** The last one in the window: with an older one, all of the window counts anyway. */
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
  // Rows come in the order of the file: what is newer than the last one is known only after it.
  const again = await log.gather(
    { mode: 'latest', since: remediation.at },
    () => new KpiTally(window, remediation),
  )
  return { tally, sinceRemediation: again.gathered, remediation, state }
}

/** When the newest step finished. */
export async function newestIn(log: TrajectoryLog): Promise<bigint> {
  const { rows } = await log.query({ mode: 'latest', limit: 1 })
  return rows[0] ? finishedAtOf(rows[0]) : 0n
}
