/** Questions to the trajectory: the latest steps, those that failed, those worth another try. */
import { byCodePoint } from '../../canonical.ts'
import { instantOf } from '../../timestamp.ts'
import { isRetryNeeded, isSuccess } from '../retry/result-class.ts'
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

/**
 * Times have whole seconds, so several steps may have finished at one instant. Answers to a query
 * list those by step and action, as earlier tools do. Who asks for the last try wants the one that
 * was written last.
 */
export type StepOrder = 'by-step' | 'by-line'

/** The newest of the steps it is offered, and no more of them than are wanted. */
export class NewestSteps {
  readonly #wanted: number
  readonly #atOnce: AtOnce
  #kept: KeyedStep[] = []
  #isSorted = true

  constructor(wanted: number, order: StepOrder = 'by-step') {
    this.#wanted = wanted
    this.#atOnce = orders[order]
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
    this.#kept.sort((a, b) => byNewest(a, b) || this.#atOnce(a.step, b.step))
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

function byNewest(a: KeyedStep, b: KeyedStep): number {
  if (a.finishedAt === b.finishedAt) return 0
  return a.finishedAt > b.finishedAt ? -1 : 1
}

/** The order of steps that finished at one instant. */
type AtOnce = (a: PlacedStep, b: PlacedStep) => number

const orders: Readonly<Record<StepOrder, AtOnce>> = {
  'by-step': (a, b) =>
    byCodePoint(a.row.stepId, b.row.stepId) ||
    byCodePoint(a.row.action, b.row.action) ||
    a.line - b.line,
  'by-line': (a, b) => b.line - a.line,
}
