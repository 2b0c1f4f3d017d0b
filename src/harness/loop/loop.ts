/**
 * The loop of HARNESS-RUNTIME §7: ready, claim, work, verify, release or close, with one worker or
 * several, until no issue can be claimed. Each pass checks the graph, reads the ready issues again,
 * and dispatches the free workers in the order of their worktrees.
 */

import { Fault } from '../../fault.ts'
import { OfferShare } from '../../kernel/harness/run/offer-share.ts'
import { remainingWork } from '../../kernel/harness/run/remaining-work.ts'
import * as matters from '../../kernel/harness/run/run-attention.ts'
import type { RunSummary, StepEvent } from '../../kernel/harness/run/run-event.ts'
import {
  nextAfterRun,
  type RunOwner,
  sessionAtEnd,
  sessionAtStart,
} from '../../kernel/harness/run/run-session.ts'
import { activeIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { lostWork, waitingIssues } from '../../kernel/landing/lacking-work.ts'
import { millis } from '../../kernel/timestamp.ts'
import type { RunEndWhy, RunRequest } from '../../wire/run/run-event.ts'
import { TimeSpan } from '../../world/time-span.ts'
import { hasDocuments, instructionRefsOf } from '../step/commit-step.ts'
import { recoverSteps } from '../step/recover.ts'
import { exitAfter, type PoolWorker, type WorkerExit } from './pool-worker.ts'
import { type LoopParts, WorkerPool } from './worker-pool.ts'

export interface LoopEnd {
  readonly summary: RunSummary
  /** Workers that ended early. */
  readonly exits: readonly WorkerExit[]
  /** The number of attempts that a stop signal interrupted. */
  readonly interrupted: number
}

/** How often issue memory is read again while a worker waits, and a request while all work. */
const pollMs = 1_000

export class Loop {
  readonly #parts: LoopParts
  readonly #owner: RunOwner
  readonly #pool: WorkerPool
  readonly #span: TimeSpan
  #idleSince: bigint | undefined
  /** The last reading of the clock, to notice when it is set back. */
  #lastTime: bigint
  #passes = 0
  #request: RunRequest | undefined
  #hasMustered = false

  constructor(parts: LoopParts) {
    const { coordinator, options } = parts
    this.#parts = parts
    this.#pool = new WorkerPool(parts)
    this.#owner = {
      mode: options.mode,
      workerId: coordinator.workerId,
      issuesPath: coordinator.issuesPath,
      instructionRefs: instructionRefsOf(coordinator),
    }
    this.#span = new TimeSpan(coordinator.clock)
    this.#lastTime = this.#span.startedAt
    coordinator.stop.addEventListener('abort', () => this.#stop(), { once: true })
  }

  async run(): Promise<LoopEnd> {
    const [ended] = await Promise.allSettled([this.#run()])
    // Write the attention file also if the run fails.
    const [settled] = await Promise.allSettled([this.#parts.attention.settle()])
    if (ended.status === 'rejected') throw ended.reason
    if (settled.status === 'rejected') throw settled.reason
    return ended.value
  }

  async #run(): Promise<LoopEnd> {
    await this.#begin()
    const working = this.#pool.start()
    const looking = this.#guarded(() => this.#lookAfter()).finally(() => this.#pool.endWaiting())
    // However the run ends, wait for every worker.
    await Promise.allSettled([looking, ...working])
    await Promise.all(working)
    const why = (await looking) ?? 'failed'
    await this.#guarded(() => this.#recover())
    await this.#parts.attention.notified()
    const summary = await this.#end(why)
    const { exits, tally } = this.#pool
    return { summary, exits, interrupted: tally.interrupted }
  }

  /** Turns a fault of the coordinator into an attention, so that the run ends with a summary. */
  async #guarded<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { workerId } = this.#parts.coordinator
      const quit = exitAfter(error)
      this.#pool.exits.push(quit)
      const { message, next } = quit
      this.#parts.attention.call(matters.workerEndedAttention(workerId, message, next))
      return undefined
    }
  }

  #stop(): void {
    const { coordinator, emit } = this.#parts
    const message =
      'stopping: running commands are ended and the work is handed over; press Ctrl-C again to stop immediately'
    emit({ event: 'note', workerId: coordinator.workerId, message })
    this.#pool.queue.notice()
  }

  async #ownerNow(): Promise<RunOwner> {
    const { store, sha256 } = this.#parts.coordinator
    return { ...this.#owner, issuesSnapshotRef: await store.logRef(sha256) }
  }

  async #begin(): Promise<void> {
    const { coordinator, budget, emit, options } = this.#parts
    const now = coordinator.clock.now()
    const { open } = remainingWork(await coordinator.store.read(), now)
    const names = this.#pool.workers.map(({ workerId }) => workerId)
    const owner = await this.#ownerNow()
    await budget.begin(before => sessionAtStart(before, owner, names, now))
    emit({
      event: 'run.started',
      runId: options.runId,
      workers: this.#pool.workers.map(({ workerId, harness: { worktree } }) => ({
        workerId,
        worktree,
      })),
      parallel: options.parallel,
      open,
      budget: budget.use,
    })
    if (coordinator.stop.aborted) this.#stop()
  }

  async #lookAfter(): Promise<RunEndWhy> {
    for (;;) {
      if (this.#pool.running.length === 0) return this.#whyAllLeft()
      const seen = this.#pool.queue.changes
      this.#watchClock()
      await this.#followRequest()
      const why = this.#mustEnd() ?? (this.#isMustered() ? await this.#pass() : undefined)
      if (why !== undefined) return why
      await this.#changeSince(seen)
    }
  }

  /** Leases expire by this clock. If it is set back, they last longer. */
  #watchClock(): void {
    const now = this.#parts.coordinator.clock.now()
    const back = matters.secondsSetBack(this.#lastTime, now)
    this.#lastTime = now
    if (back > 0) this.#parts.attention.call(matters.clockAttention(back))
  }

  async #followRequest(): Promise<void> {
    const { request, emit } = this.#parts
    const asked = await request?.()
    if (asked === this.#request) return
    this.#request = asked
    emit({ event: 'request', request: asked ?? 'resume' })
  }

  /** Dispatch waits until every worker has booted, so that the order does not depend on speed. */
  #isMustered(): boolean {
    this.#hasMustered ||= this.#pool.waiting.length === this.#pool.running.length
    return this.#hasMustered
  }

  /** Every worker finds a cycle that exists at the start. The run reports it once. */
  async #whyAllLeft(): Promise<RunEndWhy> {
    const { coordinator } = this.#parts
    if (coordinator.stop.aborted) return 'stopped'
    return this.#isCircular(await coordinator.store.read()) ? 'cycle' : 'failed'
  }

  #isCircular(memory: IssueMemory): boolean {
    const { hasCycle, cyclePath } = activeIntegrity(memory)
    if (hasCycle) this.#parts.attention.call(matters.cycleAttention(cyclePath ?? []))
    return hasCycle
  }

  #mustEnd(): RunEndWhy | undefined {
    if (this.#parts.coordinator.stop.aborted) return 'stopped'
    if (this.#pool.isEnvironmentBroken) return 'environment'
    if (this.#request === 'drain') return 'drained'
    return this.#parts.budget.spentWhy === undefined ? undefined : 'budget'
  }

  /**
   * Dispatches workers to ready issues. Returns why the run ends if no worker is busy and no issue
   * is left.
   */
  async #pass(): Promise<RunEndWhy | undefined> {
    const { coordinator, emit } = this.#parts
    if (this.#pool.waiting.length === 0) return undefined
    const { found, memory } = await this.#afterRecovery(await coordinator.store.read())
    if (this.#isCircular(memory)) return 'cycle'
    const { lack } = this.#parts
    if (lack) this.#pool.tally.keepBack(new Set(waitingIssues(memory, lack).map(({ id }) => id)))
    const chosen = this.#choose(memory)
    if (chosen.length > 0 && this.#request === 'pause') return undefined
    if (chosen.length > 0) {
      emit({ event: 'pass', pass: ++this.#passes, sent: chosen.map(({ workerId }) => workerId) })
      await this.#dispatch(chosen)
      return undefined
    }
    // A worker of another process may have crashed and left a step.
    const more = found + (await this.#recover())
    const now = coordinator.clock.steady()
    const idle = this.#pool.waiting.filter(worker => worker.isRested(now)).length
    return more > 0 || idle < this.#pool.running.length ? undefined : this.#idle(memory)
  }

  /**
   * Recovers before expired leases are offered, so that no command of the old worker runs beside a
   * new one.
   */
  async #afterRecovery(memory: IssueMemory): Promise<{ found: number; memory: IssueMemory }> {
    const { store, clock } = this.#parts.coordinator
    const isOffered = memory.reclaimable(clock.now()).length > 0
    if (!this.#pool.hasEnded && !isOffered) return { found: 0, memory }
    this.#pool.hasEnded = false
    const found = await this.#recover()
    return { found, memory: await store.read() }
  }

  /** Chooses one worker per claimable issue, up to the parallel limit. */
  #choose(memory: IssueMemory): readonly PoolWorker[] {
    const { options, coordinator } = this.#parts
    const { workers, tally, waiting } = this.#pool
    const now = coordinator.clock.now()
    const share = new OfferShare(memory, now, tally.setAside)
    // Issues that dispatched workers are about to claim are not offered again.
    for (const { isClaiming, workerId } of workers) if (isClaiming) share.takeFor(workerId)
    const room = options.parallel - workers.filter(({ isBusy }) => isBusy).length
    const rested = coordinator.clock.steady()
    const free = waiting.filter(worker => worker.isRested(rested))
    const chosen: PoolWorker[] = []
    for (const worker of free) {
      if (chosen.length >= room) break
      if (share.takeFor(worker.workerId)) chosen.push(worker)
    }
    return chosen
  }

  async #dispatch(chosen: readonly PoolWorker[]): Promise<void> {
    this.#idleSince = undefined
    for (const worker of chosen) {
      if (this.#mustEnd() !== undefined) return
      await this.#parts.budget.beginStep()
      worker.dispatch()
      this.#pool.queue.dispatch(worker.workerId)
    }
  }

  /** Returns the number of steps that were finished or undone. */
  async #recover(): Promise<number> {
    const { coordinator, emit, attention } = this.#parts
    const { workerId } = coordinator
    let count = 0
    // Each step counts at once: a fault at the next journal must not hide it.
    const report = (event: StepEvent) => {
      emit({ ...event, workerId })
      if (event.event !== 'recovered') return
      if (event.how !== 'waiting') count++
      else attention.call(matters.waitingAttention(event.stepId, event.issueId))
      this.#pool.countRecovered(event)
    }
    await recoverSteps({ ...coordinator, emit: report })
    return count
  }

  #idle(memory: IssueMemory): RunEndWhy | undefined {
    const { coordinator, options, attention } = this.#parts
    const now = coordinator.clock.steady()
    this.#idleSince ??= now
    const left = remainingWork(memory, coordinator.clock.now())
    if (left.blocked.length + left.named.length > 0) {
      attention.call(matters.blockedAttention(left))
    }
    if (now - this.#idleSince < millis(options.idleMs)) return undefined
    if (left.open === 0) return 'done'
    // A person who pauses a run comes back to it.
    return this.#request === 'pause' ? undefined : 'idle'
  }

  async #changeSince(seen: number): Promise<void> {
    const { clock } = this.#parts.coordinator
    const { waiting, queue } = this.#pool
    const isAwaited = waiting.length > 0 || this.#parts.request !== undefined
    const changed = queue.changedSince(seen)
    await Promise.race(isAwaited ? [changed, clock.sleep(pollMs)] : [changed])
  }

  async #end(why: RunEndWhy): Promise<RunSummary> {
    const { coordinator, budget, attention, options } = this.#parts
    const { tally, steps } = this.#pool
    const now = coordinator.clock.now()
    const memory = await this.#guarded(() => coordinator.store.read())
    const left = memory && remainingWork(memory, now)
    const { lack = { branch: '', work: [] } } = this.#parts
    const lost = memory ? lostWork(memory, lack).map(({ id }) => id) : []
    const waits = memory ? waitingIssues(memory, lack) : []
    const isDone = left?.open === 0 && (why === 'budget' || why === 'drained')
    const ended = isDone ? 'done' : why
    const summary = {
      runId: options.runId,
      why: ended,
      closed: tally.closed,
      ...(tally.inReview.length > 0 && { inReview: tally.inReview }),
      failed: tally.failed,
      ...(tally.parked.length > 0 && { parked: tally.parked }),
      refused: tally.refused,
      lost: tally.lost,
      steps,
      budget: budget.use,
      attention: attention.count,
      left: left?.open ?? null,
      milliseconds: Math.floor(this.#span.ms),
      ...(lost.length > 0 && { lacking: { target: lack.branch, issues: lost } }),
      nextStep: nextAfterRun(ended, left, budget.spentWhy, [...tally.failed, ...tally.parked], {
        branch: lack.branch,
        lost,
        waits,
      }),
      ...(this.#request && { request: this.#request }),
    }
    const isFinished = ended === 'done' || ended === 'idle'
    await this.#guarded(async () => {
      if (!(await hasDocuments(coordinator))) return
      const owner = await this.#ownerNow()
      await budget.end(isFinished, before => sessionAtEnd(before, owner, summary, now))
    })
    this.#parts.emit({ event: 'run.ended', ...summary })
    return summary
  }
}
