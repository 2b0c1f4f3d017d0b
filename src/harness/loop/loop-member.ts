/** One worker of a loop: what it is at, and how it works when it is sent. */
import { type Fault, faultCodes } from '../../fault.ts'
import { failureClassesIn } from '../../kernel/harness/handoff-packet.ts'
import type { StepEvent } from '../../kernel/harness/run/run-event.ts'
import { type EndedWork, FailureStreak } from '../../kernel/harness/run/run-tally.ts'
import { worktreeGoneClass } from '../../kernel/harness/step/step-decision.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { isConflict } from '../../kernel/issues/refusal-classes.ts'
import { millis } from '../../kernel/timestamp.ts'
import { type BootOptions, type BootReport, bootHarness } from '../boot.ts'
import type { Harness } from '../harness.ts'
import { readyToWrite, type StepReport, type WorkOptions, workOnce } from '../step/step.ts'

export interface LoopWorker {
  readonly harness: Harness
  /** Runs `act` while nobody else is this worker. */
  hold(act: () => Promise<void>): Promise<void>
  /** Whether its worktree is still there. */
  isThere(): Promise<boolean>
  /** What is in its worktree that nobody committed, in words; not asked where that is somebody's own. */
  uncommitted?(): Promise<string | undefined>
}

/** How long a worker rests that found nothing. */
const restMs = 1_000

/** Why a worker goes home before it is sent. */
export interface Quit {
  /** As an exit code. */
  readonly code: number
  readonly message: string
  readonly next: string
  /** Found by every worker alike, and told by whoever looks after the run. */
  readonly isCommon?: boolean
}

/** In the middle of a run it is the environment that fails: nobody asked anything just now. */
export const quitAfter = ({
  code,
  message,
  hint = 'Mend that, and start again.',
}: Fault): Quit => ({
  code: Math.max(faultCodes.unavailable, faultCodes[code]),
  message,
  next: hint,
})

export class LoopMember {
  readonly harness: Harness
  readonly streak = new FailureStreak()
  readonly #worker: LoopWorker
  /** What it works on, or was at when that failed. */
  issueId: string | undefined
  isBusy = false
  /** Sent, and has not claimed anything yet. */
  isClaiming = false
  isGone = false
  /** Whether the issue it worked on last is closed, whoever closed it. */
  isClosed = false
  /** How often in a row it found issue memory busy. */
  busyTimes = 0
  /** When it found nothing, though something was there. */
  #foundNothing: bigint | undefined

  constructor(worker: LoopWorker, hear: (member: LoopMember, event: StepEvent) => void) {
    this.#worker = worker
    this.harness = { ...worker.harness, tell: event => hear(this, event) }
  }

  get workerId(): string {
    return this.harness.workerId
  }

  async hold(act: () => Promise<void>): Promise<void> {
    await this.#worker.hold(act)
  }

  /** Why work must not begin here, where that is so. */
  async boot(options: BootOptions): Promise<Quit | undefined> {
    const report = await bootHarness(this.harness, options)
    if (!report.accepted) return notReady(report)
    await readyToWrite(this.harness)
    return undefined
  }

  /** Whatever else failed, that its place is gone says it best. */
  async goneQuit(): Promise<Quit | undefined> {
    return (await this.#worker.isThere()) ? undefined : worktreeGone(this.harness.worktree)
  }

  async uncommitted(): Promise<string | undefined> {
    return await this.#worker.uncommitted?.()
  }

  rest(now: bigint): void {
    this.#foundNothing = now
  }

  /** A while after it found nothing, it looks again; also where the clock was set back since. */
  isRested(now: bigint): boolean {
    const since = this.#foundNothing
    return since === undefined || now < since || now - since >= millis(restMs)
  }

  send(): void {
    this.isBusy = true
    this.isClaiming = true
  }

  /** What it came to; `undefined` where there was nothing to do after all. */
  async work(options: WorkOptions): Promise<EndedWork | Quit | undefined> {
    const mayTryAgain = () => this.#worker.isThere()
    this.issueId = undefined
    try {
      const gone = await this.goneQuit()
      if (gone) return gone
      const ended = this.#endedWork(await workOnce(this.harness, { ...options, mayTryAgain }))
      // What was tried where nothing is any more says nothing about the issue: others may take it.
      return isGivenBack(ended) ? ((await this.goneQuit()) ?? ended) : ended
    } finally {
      this.isBusy = false
      this.isClaiming = false
    }
  }

  #endedWork({
    refusal,
    attempts,
    cutShort,
  }: Omit<StepReport, 'boot'>): EndedWork | Quit | undefined {
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

/** Its last try was to be followed by another one, or is nobody's fault. */
const isGivenBack = (ended: EndedWork | Quit | undefined) =>
  ended !== undefined &&
  'resultClass' in ended &&
  (ended.resultClass.startsWith('retry_needed') || ended.resultClass === worktreeGoneClass)

function notReady({ reasons, refs, diagnostics }: BootReport): Quit {
  const [{ why, next } = { why: 'it is not ready to work', next: '' }] = reasons
  const isChanged = refs.some(({ state }) => state === 'changed')
  return { code: isChanged ? 5 : 1, message: why, next, isCommon: diagnostics.hasCycle }
}

const claimRefused = ({ failureClass, diagnostic, remedy }: IssueRefusal): Quit => ({
  code: isConflict(failureClass) ? 4 : 1,
  message: `${diagnostic} (${failureClass})`,
  next: remedy,
})

const worktreeGone = (worktree: string): Quit => ({
  code: 3,
  message: `its worktree ${worktree} is gone`,
  next: 'git worktree repair or git worktree add brings it back; git worktree prune forgets it.',
})
