/** How well many workers do, from the trajectory alone (TUSK-HARNESS-CONTRACT §13). Never authority. */
import { byCodePoint } from '../../canonical.ts'
import { instantOf, seconds } from '../../timestamp.ts'
import { isSuccess } from '../retry/result-class.ts'
import { type StepRow, stopAction } from '../step/step-row.ts'
import { finishedAtOf } from '../step/trajectory.ts'
import { type Remediation, remediationAction } from './kpi-remediation.ts'

export const kpiKind = 'premath.multithread.throughput.v1'

export interface KpiThresholds {
  readonly targetKpi: number
  readonly rollbackKpi: number
  readonly minSampleRows: number
}

export const kpiDefaults = {
  windowHours: 24,
  targetKpi: 0.8,
  rollbackKpi: 0.4,
  minSampleRows: 3,
} as const

/** A century. */
export const windowHoursMax = 876_000

/** Both ends belong to it. */
export interface KpiWindow {
  readonly hours: number
  readonly start: bigint
  readonly end: bigint
}

/** Ends with the newest row and not now: the same rows give the same report at any time. */
export function windowBefore(newest: bigint, hours: number): KpiWindow {
  const span = seconds(hours * 3600)
  const isEarly = newest - firstInstant < span
  return { hours, start: isEarly ? firstInstant : newest - span, end: newest }
}

/** Times have four digits for the year. */
const firstInstant = instantOf('0000-01-01T00:00:00Z') ?? 0n

/** What ended in a part of the window. */
export interface KpiSlot {
  completed: number
  failed: number
}

/** How many parts a chart shows. */
export const slotCount = 12

/** A handoff and a remediation are no work, done or failed. */
const uncounted: ReadonlySet<string> = new Set([stopAction, remediationAction])

export class KpiTally {
  readonly window: KpiWindow
  /** Steps that finished then or before are not counted. */
  readonly remediation: Remediation | undefined
  readonly slots: readonly KpiSlot[]
  readonly #workers = new Set<string>()

  constructor(window: KpiWindow, remediation?: Remediation) {
    this.window = window
    this.remediation = remediation
    this.slots = Array.from({ length: slotCount }, () => ({ completed: 0, failed: 0 }))
  }

  take(row: StepRow): void {
    if (uncounted.has(row.action)) return
    const at = finishedAtOf(row)
    const { start, end } = this.window
    if (at < start || at > end || (this.remediation && at <= this.remediation.at)) return
    const slot = this.slots[slotAt(at, this.window)]
    if (slot) slot[isCompleted(row) ? 'completed' : 'failed']++
    if (row.issueId !== undefined) this.#workers.add(workerOf(row))
  }

  counts() {
    const sum = (what: keyof KpiSlot) => this.slots.reduce((all, slot) => all + slot[what], 0)
    const [completedRows, failedRows] = [sum('completed'), sum('failed')]
    const workerIds = [...this.#workers].sort(byCodePoint)
    const windowRows = completedRows + failedRows
    return { activeWorkers: workerIds.length, completedRows, failedRows, windowRows, workerIds }
  }
}

/** The last instant belongs to the last part. */
function slotAt(at: bigint, { start, end }: KpiWindow): number {
  if (at === end) return slotCount - 1
  return Number(((at - start) * BigInt(slotCount)) / (end - start))
}

/** Work on an issue that succeeded; anything else is counted as failed. */
const isCompleted = ({ issueId, resultClass }: StepRow) =>
  issueId !== undefined && isSuccess(resultClass)

/** As the row says. Otherwise its step is called `<worker>.<issue>.<rest>`, and a worker may have dots. */
function workerOf({ workerId, stepId, issueId }: StepRow): string {
  if (workerId !== undefined) return workerId
  const end = `${stepId}.`.lastIndexOf(`.${issueId}.`)
  const named = end > 0 ? stepId.slice(0, end) : (stepId.split('.')[0] ?? '')
  return named || 'unknown'
}

export type KpiCounts = ReturnType<KpiTally['counts']>

export interface KpiRatios {
  readonly gatePassRate: number
  readonly throughputPerWorkerPerDay: number
  readonly kpi: number
}

/** Not rounded: what is printed is, what is decided is not. */
export function ratiosOf(counts: KpiCounts, hours: number): KpiRatios {
  const { activeWorkers, completedRows, windowRows } = counts
  const gatePassRate = windowRows === 0 ? 0 : completedRows / windowRows
  const throughputPerWorkerPerDay = (completedRows * (24 / hours)) / Math.max(activeWorkers, 1)
  return {
    gatePassRate,
    throughputPerWorkerPerDay,
    kpi: throughputPerWorkerPerDay * gatePassRate,
  }
}

export type KpiState = 'pass' | 'watch' | 'rollback' | 'insufficient_data'

export interface KpiDecision {
  readonly state: KpiState
  readonly reason: string
}

export function decideKpi(
  { windowRows }: KpiCounts,
  { kpi }: KpiRatios,
  { minSampleRows, rollbackKpi, targetKpi }: KpiThresholds,
): KpiDecision {
  if (windowRows < minSampleRows) {
    return {
      state: 'insufficient_data',
      reason: 'window row count below minimum sample threshold',
    }
  }
  if (kpi < rollbackKpi) return { state: 'rollback', reason: 'kpi below rollback threshold' }
  if (kpi < targetKpi) return { state: 'watch', reason: 'kpi below target threshold' }
  return { state: 'pass', reason: 'kpi at or above target threshold' }
}
