/**
 * The throughput of several workers, computed from the trajectory only (TUSK-HARNESS-CONTRACT §13).
 * It grants no authority.
 */
import type { StepRow } from '../../../wire/harness/step-row.ts'
import type { KpiReport } from '../../../wire/run/kpi-report.ts'
import { byCodePoint } from '../../canonical.ts'
import { instantOf, seconds } from '../../timestamp.ts'
import { isEnvironmentFailure, isSuccess } from '../retry/failure-class.ts'
import { worktreeGoneClass } from '../step/step-decision.ts'
import { failureClassesIn, stopAction } from '../step/step-row.ts'
import { finishedAtOf } from '../step/trajectory.ts'
import type { Remediation } from './kpi-remediation.ts'

/** The action of a trajectory row that records a remediation. */
export const remediationAction = 'harness.kpi.remediate'

export type KpiThresholds = KpiReport['thresholds']

export const kpiDefaults = {
  windowHours: 24,
  targetKpi: 0.8,
  rollbackKpi: 0.4,
  minSampleRows: 3,
} as const

/** A century. */
export const windowHoursMax = 876_000

/** Both ends are inclusive. */
export interface KpiWindow {
  readonly hours: number
  readonly start: bigint
  readonly end: bigint
}

/** Ends at the newest row, not now, so that the same rows always give the same report. */
export function windowBefore(newest: bigint, hours: number): KpiWindow {
  const span = seconds(hours * 3600)
  const isEarly = newest - firstInstant < span
  return { hours, start: isEarly ? firstInstant : newest - span, end: newest }
}

/** The earliest time with a four-digit year. */
const firstInstant = instantOf('0000-01-01T00:00:00Z') ?? 0n

/** The steps that finished in one slot of the window. */
export interface KpiSlot {
  completed: number
  failed: number
}

/** The number of slots in a chart. */
export const slotCount = 12

/** Handoffs and remediations are not work. */
const uncounted: ReadonlySet<string> = new Set([stopAction, remediationAction])

/** A missing program or worktree says nothing about the quality of steps. */
function isBrokenStart(row: StepRow): boolean {
  const classes = failureClassesIn(row)
  const isOutside = (name: string) => name === worktreeGoneClass || isEnvironmentFailure([name])
  return !isSuccess(row.resultClass) && classes.length > 0 && classes.every(isOutside)
}

export class KpiTally {
  readonly window: KpiWindow
  /** Steps that finished at or before this remediation are not counted. */
  readonly remediation: Remediation | undefined
  readonly slots: readonly KpiSlot[]
  readonly #workers = new Set<string>()

  constructor(window: KpiWindow, remediation?: Remediation) {
    this.window = window
    this.remediation = remediation
    this.slots = Array.from({ length: slotCount }, () => ({ completed: 0, failed: 0 }))
  }

  take(row: StepRow): void {
    if (uncounted.has(row.action) || isBrokenStart(row)) return
    const at = finishedAtOf(row)
    const { start, end } = this.window
    if (at < start || at > end || (this.remediation && at <= this.remediation.at)) return
    const slot = this.slots[slotAt(at, this.window)]
    if (slot) slot[isCompleted(row) ? 'completed' : 'failed']++
    if (row.issueId !== undefined) this.#workers.add(workerOf(row))
  }

  counts(): KpiCounts {
    const sum = (what: keyof KpiSlot) => this.slots.reduce((all, slot) => all + slot[what], 0)
    const [completedRows, failedRows] = [sum('completed'), sum('failed')]
    const workerIds = [...this.#workers].sort(byCodePoint)
    const windowRows = completedRows + failedRows
    return { activeWorkers: workerIds.length, completedRows, failedRows, windowRows, workerIds }
  }
}

/** The end of the window belongs to the last slot. */
function slotAt(at: bigint, { start, end }: KpiWindow): number {
  if (at === end) return slotCount - 1
  return Number(((at - start) * BigInt(slotCount)) / (end - start))
}

/** A successful step on an issue. Every other counted row is a failure. */
const isCompleted = ({ issueId, resultClass }: StepRow) =>
  issueId !== undefined && isSuccess(resultClass)

/**
 * The worker of the row, otherwise of the step id `<worker>.<issue>.<rest>`. A worker's name may
 * contain dots.
 */
function workerOf({ workerId, stepId, issueId }: StepRow): string {
  if (workerId !== undefined) return workerId
  const end = `${stepId}.`.lastIndexOf(`.${issueId}.`)
  const named = end > 0 ? stepId.slice(0, end) : (stepId.split('.')[0] ?? '')
  return named || 'unknown'
}

type KpiCounts = KpiReport['counts']
type KpiRatios = KpiReport['ratios']

/** Not rounded. Decisions use exact values, and only output is rounded. */
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

export function decideKpi(
  { windowRows }: KpiCounts,
  { kpi }: KpiRatios,
  { minSampleRows, rollbackKpi, targetKpi }: KpiThresholds,
): KpiReport['decision'] {
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

const decimals = 6

/** Rounds the exact binary value to six decimals, half to even, as the earlier Python benchmark. */
export function roundedToSix(value: number): number {
  const halfway = value * 2 ** (decimals + 1)
  // At six decimals only odd multiples of 1/128 are exactly half-way.
  if (!Number.isSafeInteger(halfway) || halfway % 2 === 0) return Number(value.toFixed(decimals))
  const doubled = (BigInt(halfway) * 10n ** BigInt(decimals)) / 2n ** BigInt(decimals)
  const lower = (doubled - 1n) / 2n
  const even = lower % 2n === 0n ? lower : lower + 1n
  return Number(even) / 10 ** decimals
}

/** Always with a fraction: `1.0`, `0.8`. */
export function printFloat(value: number): string {
  const text = String(value)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
