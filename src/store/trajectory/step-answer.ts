/** Answers questions about the trajectory: most blocks are only counted, and few are read. */

import { clusterOf, FailureClusters } from '../../kernel/harness/retry/failure-clusters.ts'
import {
  belongsTo,
  NewestSteps,
  type PlacedStep,
  passes,
  type StepCounts,
  type StepFilter,
  type StepOrder,
  type TrajectoryMode,
} from '../../kernel/harness/step/trajectory.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import type { FailureCluster } from '../../wire/harness/trajectory-projection.ts'
import { issueName, newestOf, type StepBlock, shareOf, stepName } from './step-block.ts'
import type { StepView } from './step-view.ts'

export interface StepQuestion extends StepFilter {
  readonly mode: TrajectoryMode
  readonly limit: number
  /** The order of steps that finished at the same instant. */
  readonly order?: StepOrder | undefined
  /** True to group the failed steps by class, whatever the mode and the limit. */
  readonly clusters?: boolean | undefined
}

export interface StepAnswer extends StepCounts {
  readonly rows: readonly StepRow[]
  /** The most frequent first, if the question asks for them. */
  readonly clusters?: readonly FailureCluster[]
}

/**
 * A block whose rows all pass the filter is counted without reading it. Such blocks are then read from
 * the newest on, until no other can hold a row newer than those found.
 */
export async function answer(view: StepView, question: StepQuestion): Promise<StepAnswer> {
  const found = new Found(question)
  found.take(view.rest)
  const whole: StepBlock[] = []
  for (const block of blocksFor(view, question)) {
    if (!isWhole(block, question)) found.take(await view.stepsOf(block))
    else if (found.count(block) > 0) whole.push(block)
  }
  whole.sort((a, b) => b.newest - a.newest || b.at - a.at)
  for (const block of whole) {
    if (found.newest.isSettledAt(newestOf(block))) break
    found.offer(await view.stepsOf(block))
  }
  const clusters = question.clusters ? await clustersIn(view, question) : undefined
  return { ...found.counts, rows: found.newest.rows(), ...(clusters && { clusters }) }
}

/** The index has the failures of each block; only those that pass in part are read. */
async function clustersIn(view: StepView, filter: StepFilter): Promise<readonly FailureCluster[]> {
  const clusters = new FailureClusters()
  const take = (steps: readonly PlacedStep[]) => {
    for (const step of steps) if (passes(filter, step.row)) clusters.take(step)
  }
  const whole = new Set<StepBlock>()
  for (const block of blocksFor(view, filter)) {
    if (block.failed === 0) continue
    if (isWhole(block, filter)) whole.add(block)
    else take(await view.stepsOf(block))
  }
  for (const failures of view.failuresOf(whole)) clusters.merge(failures)
  take(view.rest)
  const answered: FailureCluster[] = []
  for (const failures of clusters.list()) {
    const { row } = await view.stepAt(failures.newest.line)
    answered.push(clusterOf(failures, row))
  }
  return answered
}

/** True if all rows of the block pass the filter. */
const isWhole = (block: StepBlock, filter: StepFilter) =>
  filter.issueId === undefined && shareOf(block, filter) === 'all'

class Found {
  readonly newest: NewestSteps
  readonly counts = { totalCount: 0, failedCount: 0, retryNeededCount: 0 }
  readonly #question: StepQuestion

  constructor(question: StepQuestion) {
    this.#question = question
    this.newest = new NewestSteps(question.limit, question.order)
  }

  take(steps: readonly PlacedStep[]): void {
    const through = steps.filter(({ row }) => passes(this.#question, row))
    const countOf = (mode: TrajectoryMode) =>
      through.filter(({ row }) => belongsTo(mode, row.resultClass)).length
    this.#add(through.length, countOf('failed'), countOf('retry-needed'))
    this.offer(through)
  }

  /** Counts a block without reading it, and returns how many of its rows the answer may list. */
  count(block: StepBlock): number {
    this.#add(block.rows, block.failed, block.retryNeeded)
    return countIn(block, this.#question.mode)
  }

  /** Offers steps that were counted before. */
  offer(steps: readonly PlacedStep[]): void {
    for (const step of steps) {
      if (belongsTo(this.#question.mode, step.row.resultClass)) this.newest.offer(step)
    }
  }

  #add(total: number, failed: number, retryNeeded: number): void {
    this.counts.totalCount += total
    this.counts.failedCount += failed
    this.counts.retryNeededCount += retryNeeded
  }
}

/** The number of its rows that belong to the mode. */
export function countIn({ rows, failed, retryNeeded }: StepBlock, mode: TrajectoryMode): number {
  if (mode === 'latest') return rows
  return mode === 'failed' ? failed : retryNeeded
}

/** The blocks that may have a row that passes the filter, in the order of the file. */
export function blocksFor(view: StepView, filter: StepFilter): readonly StepBlock[] {
  const { issueId } = filter
  const named = issueId === undefined ? view.blocks : view.blocksWith(issueName(issueId))
  return named.filter(block => block.rows > 0 && shareOf(block, filter) !== 'none')
}

export async function stepIn(view: StepView, stepId: string): Promise<StepRow | undefined> {
  const isIt = ({ row }: PlacedStep) => row.stepId === stepId
  const last = view.rest.find(isIt)
  if (last) return last.row
  for (const block of view.blocksWith(stepName(stepId))) {
    const found = block.rows > 0 ? (await view.stepsOf(block)).find(isIt) : undefined
    if (found) return found.row
  }
  return undefined
}
