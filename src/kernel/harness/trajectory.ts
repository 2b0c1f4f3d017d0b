/** Questions to the trajectory: the latest steps, those that failed, those worth another try. */
import { byCodePoint } from '../canonical.ts'
import { instantOf } from '../work/timestamp.ts'
import { isRetryNeeded, isSuccess } from './result-class.ts'
import type { StepRow } from './step-row.ts'

export const projectionKind = 'premath.harness.trajectory.projection.v1'

export const trajectoryModes = ['latest', 'failed', 'retry-needed'] as const
export type TrajectoryMode = (typeof trajectoryModes)[number]

/** As the answer spells it. */
export const modeWord = (mode: TrajectoryMode) => mode.replace('-', '_')

export function belongsTo(mode: TrajectoryMode, resultClass: string): boolean {
  if (mode === 'latest') return true
  return mode === 'failed' ? !isSuccess(resultClass) : isRetryNeeded(resultClass)
}

/** A row and the number of its line. */
export interface PlacedStep {
  readonly row: StepRow
  readonly line: number
}

/** Which rows a question is about at all. */
export interface StepFilter {
  readonly issueId?: string | undefined
  /** Finished at this instant or later. */
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

/** The newest of the steps it is offered, and no more of them than are wanted. */
export class NewestSteps {
  readonly #wanted: number
  #kept: KeyedStep[] = []
  #isSorted = true

  constructor(wanted: number) {
    this.#wanted = wanted
  }

  offer(step: PlacedStep): void {
    this.#kept.push({ step, finishedAt: finishedAtOf(step.row) })
    this.#isSorted = false
    if (this.#kept.length > 2 * this.#wanted + roomMin) this.#sort()
  }

  /** Whether no step that finished at the instant or before could still get in. */
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
    this.#kept.sort(byNewest)
    this.#kept.length = Math.min(this.#kept.length, this.#wanted)
    this.#isSorted = true
  }
}

/** Sorting now and then costs less than keeping order at each step. */
const roomMin = 256

interface KeyedStep {
  readonly step: PlacedStep
  readonly finishedAt: bigint
}

/** The newest first; at one instant by step and action, and then as they were written. */
function byNewest(a: KeyedStep, b: KeyedStep): number {
  if (a.finishedAt !== b.finishedAt) return a.finishedAt > b.finishedAt ? -1 : 1
  return (
    byCodePoint(a.step.row.stepId, b.step.row.stepId) ||
    byCodePoint(a.step.row.action, b.step.row.action) ||
    a.step.line - b.step.line
  )
}
