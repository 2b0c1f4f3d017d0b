/**
 * The loop of HARNESS-RUNTIME §7: ready, claim, work, verify, release or close, with one worker or
 * several, until no issue can be claimed. Each pass checks the graph, reads the ready issues again,
 * and dispatches the free workers in the order of their worktrees.
 */
import { Fault } from '../../fault.ts'
import { leftWork } from '../../kernel/harness/run/left-work.ts'
import { OfferShare } from '../../kernel/harness/run/offer-share.ts'
import * as matters from '../../kernel/harness/run/run-attention.ts'
import type { RunSummary, StepEvent } from '../../kernel/harness/run/run-event.ts'
import {
  nextAfterRun,
  type RunKeeper,
  sessionAtEnd,
  sessionAtStart,
} from '../../kernel/harness/run/run-session.ts'
import { activeIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { millis } from '../../kernel/timestamp.ts'
import type { RunEndWhy } from '../../wire/run/run-event.ts'
import { hasDocuments } from '../step/commit-step.ts'
import { recoverSteps } from '../step/recover.ts'
import { LoopCrew, type LoopParts } from './loop-crew.ts'
import { type LoopMember, type Quit, quitAfter } from './loop-member.ts'

export interface LoopEnd {
  readonly summary: RunSummary
  /** Workers that ended early. */
  readonly quits: readonly Quit[]
  /** The number of attempts that a stop signal interrupted. */
  readonly interrupted: number
}

/** How often issue memory is read again while a worker waits. */
const pollMs = 1_000

export class Loop {
  readonly #parts: LoopParts
  readonly #keeper: RunKeeper
  readonly #crew: LoopCrew
  readonly #began: bigint
  #idleSince: bigint | undefined
  /** The last reading of the clock, to notice when it is set back. */
  #told: bigint
  #passes = 0
  #hasMustered = false

  constructor(parts: LoopParts) {
    const { keeper, options } = parts
    this.#parts = parts
    this.#crew = new LoopCrew(parts)
    this.#keeper = {
      mode: options.mode,
      workerId: keeper.workerId,
      issuesPath: keeper.issuesPath,
    }
    this.#began = keeper.clock.now()
    this.#told = this.#began
    keeper.stop.addEventListener('abort', () => this.#stop(), { once: true })
  }

  async run(): Promise<LoopEnd> {
    const [ended] = await Promise.allSettled([this.#run()])
    // Write the attention file also if the run fails.
    const [told] = await Promise.allSettled([this.#parts.attention.settle()])
    if (ended.status === 'rejected') throw ended.reason
    if (told.status === 'rejected') throw told.reason
    return ended.value
  }

  async #run(): Promise<LoopEnd> {
    await this.#begin()
    const working = this.#crew.start()
    const looking = this.#guarded(() => this.#lookAfter()).finally(() => this.#crew.sendHome())
    // However the run ends, wait for every worker.
    await Promise.allSettled([looking, ...working])
    await Promise.all(working)
    const why = (await looking) ?? 'failed'
    await this.#guarded(() => this.#recover())
    const summary = await this.#end(why)
    const { quits, tally } = this.#crew
    return { summary, quits, interrupted: tally.interrupted }
  }

  /** Turns a fault of the coordinator into an attention, so that the run ends with a summary. */
  async #guarded<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { workerId } = this.#parts.keeper
      const quit = quitAfter(error)
      this.#crew.quits.push(quit)
      const { message, next } = quit
      this.#parts.attention.call(matters.workerEndedAttention(workerId, message, next))
      return undefined
    }
  }

  #stop(): void {
    const { keeper, tell } = this.#parts
    const message =
      'stopping: running commands are ended and the work is handed over; press Ctrl-C again to stop immediately'
    tell({ event: 'note', workerId: keeper.workerId, message })
    this.#crew.turnstile.notice()
  }

  async #begin(): Promise<void> {
    const { keeper, budget, tell, options } = this.#parts
    const now = keeper.clock.now()
    const { open } = leftWork(await keeper.store.read(), now)
    const names = this.#crew.members.map(({ workerId }) => workerId)
    await budget.begin(before => sessionAtStart(before, this.#keeper, names, now))
    tell({
      event: 'run.started',
      runId: options.runId,
      workers: this.#crew.members.map(({ workerId, harness: { worktree } }) => ({
        workerId,
        worktree,
      })),
      parallel: options.parallel,
      open,
      budget: budget.use,
    })
    if (keeper.stop.aborted) this.#stop()
  }

  async #lookAfter(): Promise<RunEndWhy> {
    for (;;) {
      if (this.#crew.present.length === 0) return this.#whyAllLeft()
      const seen = this.#crew.turnstile.changes
      this.#watchClock()
      const why = this.#mustEnd() ?? (this.#isMustered() ? await this.#pass() : undefined)
      if (why !== undefined) return why
      await this.#changeSince(seen)
    }
  }

  /** Leases expire by this clock. If it is set back, they last longer. */
  #watchClock(): void {
    const now = this.#parts.keeper.clock.now()
    const back = matters.secondsSetBack(this.#told, now)
    this.#told = now
    if (back > 0) this.#parts.attention.call(matters.clockAttention(back))
  }

  /** Dispatch waits until every worker has booted, so that the order does not depend on speed. */
  #isMustered(): boolean {
    this.#hasMustered ||= this.#crew.waiting.length === this.#crew.present.length
    return this.#hasMustered
  }

  /** Every worker finds a cycle that exists at the start. The run reports it once. */
  async #whyAllLeft(): Promise<RunEndWhy> {
    const { keeper } = this.#parts
    if (keeper.stop.aborted) return 'stopped'
    return this.#isCircular(await keeper.store.read()) ? 'cycle' : 'failed'
  }

  #isCircular(memory: IssueMemory): boolean {
    const { hasCycle, cyclePath } = activeIntegrity(memory)
    if (hasCycle) this.#parts.attention.call(matters.cycleAttention(cyclePath ?? []))
    return hasCycle
  }

  #mustEnd(): RunEndWhy | undefined {
    if (this.#parts.keeper.stop.aborted) return 'stopped'
    return this.#parts.budget.spentWhy === undefined ? undefined : 'budget'
  }

  /**
   * Dispatches workers to ready issues. Returns why the run ends if no worker is busy and no issue
   * is left.
   */
  async #pass(): Promise<RunEndWhy | undefined> {
    const { keeper, tell } = this.#parts
    if (this.#crew.waiting.length === 0) return undefined
    const { found, memory } = await this.#afterRecovery(await keeper.store.read())
    if (this.#isCircular(memory)) return 'cycle'
    const chosen = this.#choose(memory)
    if (chosen.length > 0) {
      tell({ event: 'pass', pass: ++this.#passes, sent: chosen.map(({ workerId }) => workerId) })
      await this.#send(chosen)
      return undefined
    }
    // A worker of another process may have crashed and left a step.
    const more = found + (await this.#recover())
    const now = keeper.clock.now()
    const idle = this.#crew.waiting.filter(member => member.isRested(now)).length
    return more > 0 || idle < this.#crew.present.length ? undefined : this.#idle(memory)
  }

  /**
   * Recovers before expired leases are offered, so that no command of the old worker runs beside a
   * new one.
   */
  async #afterRecovery(memory: IssueMemory): Promise<{ found: number; memory: IssueMemory }> {
    const { store, clock } = this.#parts.keeper
    const isOffered = memory.reclaimable(clock.now()).length > 0
    if (!this.#crew.hasLeft && !isOffered) return { found: 0, memory }
    this.#crew.hasLeft = false
    const found = await this.#recover()
    return { found, memory: await store.read() }
  }

  /** Chooses one worker per claimable issue, up to the parallel limit. */
  #choose(memory: IssueMemory): readonly LoopMember[] {
    const { options, keeper } = this.#parts
    const { members, tally, waiting } = this.#crew
    const now = keeper.clock.now()
    const share = new OfferShare(memory, now, tally.setAside)
    // Issues that dispatched workers are about to claim are not offered again.
    for (const { isClaiming, workerId } of members) if (isClaiming) share.takeFor(workerId)
    const room = options.parallel - members.filter(({ isBusy }) => isBusy).length
    const free = waiting.filter(member => member.isRested(now))
    const chosen: LoopMember[] = []
    for (const member of free) {
      if (chosen.length >= room) break
      if (share.takeFor(member.workerId)) chosen.push(member)
    }
    return chosen
  }

  async #send(chosen: readonly LoopMember[]): Promise<void> {
    this.#idleSince = undefined
    for (const member of chosen) {
      if (this.#mustEnd() !== undefined) return
      await this.#parts.budget.beginStep()
      member.send()
      this.#crew.turnstile.send(member.workerId)
    }
  }

  /** Returns the number of steps that were finished or undone. */
  async #recover(): Promise<number> {
    const { keeper, tell, attention } = this.#parts
    const { workerId } = keeper
    const telling = { ...keeper, tell: (event: StepEvent) => tell({ ...event, workerId }) }
    const { own, others } = await recoverSteps(telling)
    const all = own ? [own, ...others] : others
    for (const one of all) {
      if (one.how === 'waiting') {
        attention.call(matters.waitingAttention(one.stepId, one.issueId))
      }
      this.#crew.countRecovered(one)
    }
    return all.filter(({ how }) => how !== 'waiting').length
  }

  #idle(memory: IssueMemory): RunEndWhy | undefined {
    const { keeper, options, attention } = this.#parts
    const now = keeper.clock.now()
    // If the clock was set back, start the idle time again instead of extending it.
    if (this.#idleSince === undefined || now < this.#idleSince) this.#idleSince = now
    const left = leftWork(memory, now)
    if (left.blocked.length + left.named.length > 0) {
      attention.call(matters.blockedAttention(left))
    }
    if (now - this.#idleSince < millis(options.idleMs)) return undefined
    return left.open === 0 ? 'done' : 'idle'
  }

  async #changeSince(seen: number): Promise<void> {
    const { clock } = this.#parts.keeper
    const { waiting, turnstile } = this.#crew
    const isAwaited = waiting.length > 0
    const changed = turnstile.changedSince(seen)
    await Promise.race(isAwaited ? [changed, clock.sleep(pollMs)] : [changed])
  }

  async #end(why: RunEndWhy): Promise<RunSummary> {
    const { keeper, budget, attention, options } = this.#parts
    const { tally, steps } = this.#crew
    const now = keeper.clock.now()
    const left = await this.#guarded(async () => leftWork(await keeper.store.read(), now))
    const ended = left?.open === 0 && why === 'budget' ? 'done' : why
    const summary = {
      runId: options.runId,
      why: ended,
      closed: tally.closed,
      failed: tally.failed,
      refused: tally.refused,
      lost: tally.lost,
      steps,
      budget: budget.use,
      attention: attention.count,
      left: left?.open ?? null,
      milliseconds: Math.max(0, Number((now - this.#began) / 1_000_000n)),
      nextStep: nextAfterRun(ended, left, budget.spentWhy),
    }
    const isFinished = ended === 'done' || ended === 'idle'
    await this.#guarded(async () => {
      if (!(await hasDocuments(keeper))) return
      await budget.end(isFinished, before => sessionAtEnd(before, this.#keeper, summary, now))
    })
    this.#parts.tell({ event: 'run.ended', ...summary })
    return summary
  }
}
