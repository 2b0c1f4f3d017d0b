/** Queries of the trajectory: the latest, the failed, and the retryable steps. */
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { byCodePoint } from '../../canonical.ts'
import { instantOf, seconds } from '../../timestamp.ts'
import { isRetryNeeded, isSuccess } from '../retry/failure-class.ts'

export const projectionKind = 'premath.harness.trajectory.projection.v1'

export const trajectoryModes = ['latest', 'failed', 'retry-needed'] as const
export type TrajectoryMode = (typeof trajectoryModes)[number]

/** The spelling in JSON output. */
export const modeWord = (mode: TrajectoryMode) => mode.replace('-', '_')

export function belongsTo(mode: TrajectoryMode, resultClass: string): boolean {
  if (mode === 'latest') return true
  return mode === 'failed' ? !isSuccess(resultClass) : isRetryNeeded(resultClass)
}

/** A row and its line number. */
export interface PlacedStep {
  readonly row: StepRow
  readonly line: number
}

export interface StepFilter {
  readonly issueId?: string | undefined
  /** The earliest finish time, inclusive. */
  readonly since?: bigint | undefined
}

export const finishedAtOf = ({ finishedAt }: StepRow): bigint => instantOf(finishedAt) ?? 0n

export function passes({ issueId, since }: StepFilter, row: StepRow): boolean {
  if (issueId !== undefined && row.issueId !== issueId) return false
  return since === undefined || finishedAtOf(row) >= since
}

export interface StepCounts {
  readonly totalCount: number
  readonly failedCount: number
  readonly retryNeededCount: number
}

/**
 * Times are in whole seconds, so several steps may finish at the same time. Query results sort
 * those by step and action, as earlier tools do. `by-line` puts the row written last first.
 */
export type StepOrder = 'by-step' | 'by-line'

/** Keeps the newest steps, up to a limit. */
export class NewestSteps {
  readonly #wanted: number
  readonly #tieBreaker: TieBreaker
  #kept: KeyedStep[] = []
  #isSorted = true

  constructor(wanted: number, order: StepOrder = 'by-step') {
    this.#wanted = wanted
    this.#tieBreaker = orders[order]
  }

  offer(step: PlacedStep): void {
    this.#kept.push({ step, finishedAt: finishedAtOf(step.row) })
    this.#isSorted = false
    if (this.#kept.length > 2 * this.#wanted + roomMin) this.#sort()
  }

  /** True if no step that finished at or before this time can still be added. */
  isSettledAt(instant: bigint): boolean {
    if (this.#wanted === 0) return true
    if (this.#kept.length < this.#wanted) return false
    this.#sort()
    const last = this.#kept.at(-1)
    return last !== undefined && last.finishedAt > instant
  }

  rows(): readonly StepRow[] {
    this.#sort()
    return this.#kept.map(({ step }) => step.row)
  }

  #sort(): void {
    if (this.#isSorted) return
    this.#kept.sort((a, b) => byNewest(a, b) || this.#tieBreaker(a.step, b.step))
    this.#kept.length = Math.min(this.#kept.length, this.#wanted)
    this.#isSorted = true
  }
}

/** Sorting in batches is cheaper than inserting in order. */
const roomMin = 256

interface KeyedStep {
  readonly step: PlacedStep
  readonly finishedAt: bigint
}

function byNewest(a: KeyedStep, b: KeyedStep): number {
  if (a.finishedAt === b.finishedAt) return 0
  return a.finishedAt > b.finishedAt ? -1 : 1
}

/** Compares steps that finished at the same time. */
type TieBreaker = (a: PlacedStep, b: PlacedStep) => number

const orders: Readonly<Record<StepOrder, TieBreaker>> = {
  'by-step': (a, b) =>
    byCodePoint(a.row.stepId, b.row.stepId) ||
    byCodePoint(a.row.action, b.row.action) ||
    a.line - b.line,
  'by-line': (a, b) => b.line - a.line,
}

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 } as const

/** Larger values would leave the range of four-digit years. */
const secondsMax = 1_000 * 366 * 86_400

/** Returns `undefined` if the text is neither. */
export function sinceOf(text: string, now: bigint): bigint | undefined {
  const [, count, unit] = /^(\d{1,12})([smhdw])$/.exec(text) ?? []
  if (count === undefined) return instantOf(text)
  const span = Number(count) * secondsOf[unit as keyof typeof secondsOf]
  return now - seconds(Math.min(span, secondsMax))
}
