/** One worker of a loop: its current issue, its state, and how it runs a step. */
import { type Fault, faultCodes } from '../../fault.ts'
import type { StepEvent } from '../../kernel/harness/run/run-event.ts'
import { type EndedWork, FailureStreak } from '../../kernel/harness/run/run-tally.ts'
import { worktreeGoneClass } from '../../kernel/harness/step/step-decision.ts'
import { failureClassesIn } from '../../kernel/harness/step/step-row.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { isConflict } from '../../kernel/issues/refusal-classes.ts'
import { millis } from '../../kernel/timestamp.ts'
import { type BootOptions, type BootReport, bootHarness } from '../boot.ts'
import type { Harness } from '../harness.ts'
import { mustBeWritable, type StepReport, type WorkOptions, workOnce } from '../step/step.ts'

export interface LoopWorker {
  readonly harness: Harness
  /** Runs `act` while it holds the worker's lock. */
  hold(act: () => Promise<void>): Promise<void>
  /** True if the worker's worktree still exists. */
  isThere(): Promise<boolean>
}

/** How long a worker waits after it found no issue. */
const restMs = 1_000

/** Why a worker ended before the loop ended it. */
export interface WorkerExit {
  readonly code: number
  readonly message: string
  readonly next: string
  /** True for a problem that every worker finds, which the loop reports once. */
  readonly isCommon?: boolean
}

/**
 * During a run, every fault counts as a fault of the environment, because the flags were checked at
 * the start.
 */
export const exitAfter = ({
  code,
  message,
  hint = 'Fix the cause, then run the loop again.',
}: Fault): WorkerExit => ({
  code: Math.max(faultCodes.unavailable, faultCodes[code]),
  message,
  next: hint,
})

export class PoolWorker {
  readonly harness: Harness
  readonly streak = new FailureStreak()
  readonly #worker: LoopWorker
  /** The current issue, or the one at which the worker failed. */
  issueId: string | undefined
  isBusy = false
  /** True from the dispatch to the claim. */
  isClaiming = false
  isEnded = false
  /** True if the last issue of this worker is closed, by any worker. */
  isClosed = false
  /** How many times in a row issue memory was locked. */
  busyTimes = 0
  /** The last time the worker found no issue although one was offered. */
  #foundNothing: bigint | undefined

  constructor(worker: LoopWorker, onEvent: (worker: PoolWorker, event: StepEvent) => void) {
    this.#worker = worker
    this.harness = { ...worker.harness, emit: event => onEvent(this, event) }
  }

  get workerId(): string {
    return this.harness.workerId
  }

  async hold(act: () => Promise<void>): Promise<void> {
    await this.#worker.hold(act)
  }

  /** Returns why this worker must not start work. */
  async boot(options: BootOptions): Promise<WorkerExit | undefined> {
    const report = await bootHarness(this.harness, options)
    if (!report.accepted) return notReady(report)
    await mustBeWritable(this.harness)
    return undefined
  }

  /** A missing worktree explains any other failure of the worker, so it is reported instead. */
  async missingWorktreeExit(): Promise<WorkerExit | undefined> {
    return (await this.#worker.isThere()) ? undefined : worktreeGone(this.harness.worktree)
  }

  rest(now: bigint): void {
    this.#foundNothing = now
  }

  /** True if the waiting time has passed or the clock was set back. */
  isRested(now: bigint): boolean {
    const since = this.#foundNothing
    return since === undefined || now - since >= millis(restMs)
  }

  dispatch(): void {
    this.isBusy = true
    this.isClaiming = true
  }

  /** Returns the result of a step, or `undefined` if no issue was left to claim. */
  async work(options: WorkOptions): Promise<EndedWork | WorkerExit | undefined> {
    const mayTryAgain = () => this.#worker.isThere()
    this.issueId = undefined
    try {
      const gone = await this.missingWorktreeExit()
      if (gone) return gone
      const ended = this.#endedWork(await workOnce(this.harness, { ...options, mayTryAgain }))
      // A step that failed because its worktree is gone says nothing about the issue. Another
      // worker may take it.
      return isGivenBack(ended) ? ((await this.missingWorktreeExit()) ?? ended) : ended
    } finally {
      this.isBusy = false
      this.isClaiming = false
    }
  }

  #endedWork({
    refusal,
    attempts,
    cutShort,
  }: Omit<StepReport, 'boot'>): EndedWork | WorkerExit | undefined {
    if (refusal) return claimRefused(refusal)
    const last = attempts.at(-1)
    if (!last) return undefined
    const { journal, committed } = last
    const { createdIssueId } = committed
    this.isClosed = committed.issue?.status === 'closed'
    return {
      workerId: this.workerId,
      issueId: journal.issueId,
      stepId: journal.stepId,
      resultClass: committed.resultClass,
      failureClasses: [
        ...failureClassesIn(committed.row),
        ...(cutShort === undefined ? [] : [cutShort]),
      ],
      summary: committed.summary,
      ...(createdIssueId !== undefined && { added: createdIssueId }),
    }
  }
}

/** True if the last attempt was released for a retry or was interrupted. */
const isGivenBack = (ended: EndedWork | WorkerExit | undefined) =>
  ended !== undefined &&
  'resultClass' in ended &&
  (ended.resultClass.startsWith('retry_needed') || ended.resultClass === worktreeGoneClass)

function notReady({ reasons, refs, diagnostics }: BootReport): WorkerExit {
  const [{ why, next } = { why: 'the worker is not ready', next: '' }] = reasons
  const isChanged = refs.some(({ state }) => state === 'changed')
  return { code: isChanged ? 5 : 1, message: why, next, isCommon: diagnostics.hasCycle }
}

const claimRefused = ({ failureClass, diagnostic, remedy }: IssueRefusal): WorkerExit => ({
  code: isConflict(failureClass) ? 4 : 1,
  message: `${diagnostic} (${failureClass})`,
  next: remedy,
})

const worktreeGone = (worktree: string): WorkerExit => ({
  code: 3,
  message: `the worktree ${worktree} is gone`,
  next: 'Restore it with git worktree repair or git worktree add, or forget it with git worktree prune.',
})
