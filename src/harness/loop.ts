/**
 * The loop: ready, claim, work, verify, release or close, by one worker or several, until nothing
 * can be taken any more (HARNESS-RUNTIME §7). In each pass the graph is checked and ready work read
 * anew, and workers that are free are sent in the order of their worktrees.
 */
import { Fault } from '../fault.ts'
import { leftWork } from '../kernel/harness/left-work.ts'
import { OfferShare } from '../kernel/harness/offer-share.ts'
import * as matters from '../kernel/harness/run-attention.ts'
import type { RunEndWhy, RunEvent, RunSummary, StepEvent } from '../kernel/harness/run-event.ts'
import {
  nextAfterRun,
  type RunKeeper,
  sessionAtEnd,
  sessionAtStart,
} from '../kernel/harness/run-session.ts'
import { type EndedWork, RunTally } from '../kernel/harness/run-tally.ts'
import { activeIntegrity } from '../kernel/work/dependency-cycle.ts'
import type { IssueMemory } from '../kernel/work/issue-memory.ts'
import { millis } from '../kernel/work/timestamp.ts'
import type { Attention } from './attention.ts'
import type { BootOptions } from './boot.ts'
import { hasDocuments } from './documents.ts'
import type { Harness } from './harness.ts'
import { LoopMember, type LoopWorker, type Quit, quitAfter } from './loop-member.ts'
import { type Recovered, recoverSteps } from './recover.ts'
import type { RunBudget } from './run-budget.ts'
import type { WorkOptions } from './step.ts'
import { Turnstile } from './turnstile.ts'

export interface LoopOptions extends BootOptions {
  readonly runId: string
  readonly mode: RunKeeper['mode']
  /** How many may work at the same time. */
  readonly parallel: number
  /** How long to wait for work when there is none. */
  readonly idleMs: number
  workOptions(harness: Harness): Omit<WorkOptions, 'except'>
}

export interface LoopParts {
  /** Whoever looks after the run. One that works alone looks after itself. Its lock is held. */
  readonly keeper: Harness
  /** In the order they are sent. */
  readonly workers: readonly LoopWorker[]
  readonly budget: RunBudget
  readonly attention: Attention
  readonly options: LoopOptions
  tell(event: RunEvent): void
}

export interface LoopEnd {
  readonly summary: RunSummary
  /** Workers that went home before they were sent. */
  readonly quits: readonly Quit[]
  /** How many tries were cut off because somebody asked us to stop. */
  readonly interrupted: number
}

/** How often memory is read again while somebody waits for work. */
export const pollMs = 1_000

/** How often in a row a worker finds issue memory busy before it goes home. */
const busyTimesMax = 5

export class Loop {
  readonly #parts: LoopParts
  readonly #keeper: RunKeeper
  readonly #members: readonly LoopMember[]
  readonly #turnstile = new Turnstile()
  readonly #tally = new RunTally()
  readonly #quits: Quit[] = []
  readonly #began: bigint
  #idleSince: bigint | undefined
  #steps = 0
  #passes = 0
  /** Somebody went home, and may have left work behind. */
  #hasLeft = false

  constructor(parts: LoopParts) {
    const { keeper, options, workers } = parts
    this.#parts = parts
    this.#keeper = {
      mode: options.mode,
      workerId: keeper.workerId,
      issuesPath: keeper.issuesPath,
    }
    this.#began = keeper.clock.now()
    keeper.stop.addEventListener('abort', () => this.#stop(), { once: true })
    this.#members = workers.map(
      worker => new LoopMember(worker, (member, event) => this.#hear(member, event)),
    )
  }

  async run(): Promise<LoopEnd> {
    const [ended] = await Promise.allSettled([this.#run()])
    // What a person should look at is told also where the run fails.
    const [told] = await Promise.allSettled([this.#parts.attention.settle()])
    if (ended.status === 'rejected') throw ended.reason
    if (told.status === 'rejected') throw told.reason
    return ended.value
  }

  async #run(): Promise<LoopEnd> {
    await this.#begin()
    const working = this.#members.map(member => this.#employ(member))
    const looking = this.#guarded(() => this.#lookAfter()).finally(() => this.#turnstile.shut())
    // Whatever it is that ends the run, nobody is left at work.
    await Promise.allSettled([looking, ...working])
    await Promise.all(working)
    const why = (await looking) ?? 'failed'
    await this.#guarded(() => this.#recover())
    const summary = await this.#end(why)
    return { summary, quits: this.#quits, interrupted: this.#tally.interrupted }
  }

  /** A run that cannot be looked after ends like any other: with a word about what it came to. */
  async #guarded<T>(act: () => Promise<T>): Promise<T | undefined> {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { workerId } = this.#parts.keeper
      const quit = quitAfter(error)
      this.#quits.push(quit)
      const { message, next } = quit
      this.#parts.attention.call(matters.workerEndedAttention(workerId, message, next))
      return undefined
    }
  }

  #stop(): void {
    const { keeper, tell } = this.#parts
    const message = 'asked to stop: what runs is ended and handed over; asked again, at once'
    tell({ event: 'note', workerId: keeper.workerId, message })
    this.#turnstile.notice()
  }

  async #begin(): Promise<void> {
    const { keeper, budget, tell, options } = this.#parts
    const now = keeper.clock.now()
    const { open } = leftWork(await keeper.store.read(), now)
    const names = this.#members.map(({ workerId }) => workerId)
    await budget.begin(before => sessionAtStart(before, this.#keeper, names, now))
    tell({
      event: 'run.started',
      runId: options.runId,
      workers: this.#members.map(({ workerId, harness: { worktree } }) => ({ workerId, worktree })),
      parallel: options.parallel,
      open,
      budget: budget.use,
    })
    if (keeper.stop.aborted) this.#stop()
  }

  /** What ends one worker ends no other. */
  async #employ(member: LoopMember): Promise<void> {
    try {
      await member.hold(() => this.#attend(member))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#quit(member, (await member.goneQuit()) ?? quitAfter(error))
    } finally {
      member.isGone = true
      this.#hasLeft = true
      this.#turnstile.notice()
    }
  }

  async #attend(member: LoopMember): Promise<void> {
    const { options, tell, keeper } = this.#parts
    const unready = await member.boot(options)
    if (unready && keeper.stop.aborted) return
    if (unready) {
      this.#quit(member, unready)
      return
    }
    const { workerId } = member
    while ((await this.#turnstile.wait(workerId)) === 'work') {
      if (!(await this.#patiently(member))) return
    }
    tell({ event: 'worker.ended', workerId, why: 'sent_home' })
  }

  #quit({ workerId }: LoopMember, quit: Quit): void {
    const { tell, attention } = this.#parts
    const { message, next, isCommon } = quit
    this.#quits.push(quit)
    if (!isCommon) attention.call(matters.workerEndedAttention(workerId, message, next))
    tell({ event: 'worker.ended', workerId, why: 'quit', message })
  }

  /** Somebody may hold issue memory for a while: that sends nobody home unless it goes on and on. */
  async #patiently(member: LoopMember): Promise<boolean> {
    const { tell, keeper } = this.#parts
    try {
      const goesOn = await this.#step(member)
      member.busyTimes = 0
      return goesOn
    } catch (error) {
      const isBusy = error instanceof Fault && error.code === 'conflict'
      if (!isBusy || ++member.busyTimes > busyTimesMax) throw error
      tell({ event: 'note', workerId: member.workerId, message: error.message })
      // What it was at is finished or undone before it takes anything else.
      await recoverSteps(member.harness)
      member.rest(keeper.clock.now())
      return true
    }
  }

  /** Whether the worker goes on. */
  async #step(member: LoopMember): Promise<boolean> {
    const { budget, options, keeper } = this.#parts
    const except = this.#tally.setAside
    const ended = await member.work({ ...options.workOptions(member.harness), except })
    if (ended && 'code' in ended) {
      this.#quit(member, ended)
      return false
    }
    if (ended) await this.#conclude(ended, member)
    else {
      await budget.takeBack()
      member.rest(keeper.clock.now())
    }
    return true
  }

  async #conclude(ended: EndedWork, { isClosed }: LoopMember): Promise<void> {
    const { attention, budget } = this.#parts
    const { workerId } = ended
    this.#steps++
    const verdict = this.#tally.take(ended)
    if (verdict === 'refused') attention.call(matters.refusedAttention(workerId, ended))
    if (verdict === 'lost') attention.call(matters.leaseLostAttention(workerId, ended))
    if (verdict === 'failed' && isClosed) {
      attention.call(matters.unverifiedAttention(workerId, ended))
    }
    if (verdict === 'refused' || verdict === 'failed') await budget.countFailure()
  }

  #hear(member: LoopMember, event: StepEvent): void {
    const { workerId } = member
    const { attention, tell } = this.#parts
    tell({ ...event, workerId })
    switch (event.event) {
      case 'claimed':
        member.issueId = event.issueId
        member.isClaiming = false
        this.#turnstile.notice()
        break
      case 'recovered':
        this.#countRecovered(event)
        break
      case 'quiet':
        attention.call(matters.quietAttention(workerId, member.issueId, event))
        break
      case 'lease.renewed':
        this.#parts.budget.keepTime()
        break
      case 'lease.ending':
        attention.call(matters.leaseEndingAttention(workerId, event))
        break
      case 'attempt.ended': {
        const alike = member.streak.take(event.failureClasses)
        if (alike === undefined) break
        attention.call(matters.repeatedAttention(workerId, event.issueId, alike))
      }
    }
  }

  async #lookAfter(): Promise<RunEndWhy> {
    for (;;) {
      if (this.#members.every(({ isGone }) => isGone)) return this.#whyAllLeft()
      const seen = this.#turnstile.changes
      const why = this.#mustEnd() ?? (await this.#pass())
      if (why !== undefined) return why
      await this.#changeSince(seen)
    }
  }

  /** A circle that was there from the start is found by every worker, and is one matter. */
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

  #waiting(): readonly LoopMember[] {
    return this.#members.filter(({ workerId }) => this.#turnstile.isWaiting(workerId))
  }

  /** Sends whom there is work for. Why the run is over, where nobody works and nothing is there. */
  async #pass(): Promise<RunEndWhy | undefined> {
    const { keeper, tell } = this.#parts
    if (this.#waiting().length === 0) return undefined
    const found = await this.#recoverIfLeft()
    const memory = await keeper.store.read()
    if (this.#isCircular(memory)) return 'cycle'
    const chosen = this.#choose(memory)
    if (chosen.length > 0) {
      tell({ event: 'pass', pass: ++this.#passes, sent: chosen.map(({ workerId }) => workerId) })
      await this.#send(chosen)
      return undefined
    }
    // Somebody elsewhere may have died and left work behind.
    const more = found + (await this.#recover())
    const now = keeper.clock.now()
    const idle = this.#waiting().filter(member => member.isRested(now)).length
    const here = this.#members.filter(({ isGone }) => !isGone).length
    return more > 0 || idle < here ? undefined : this.#idle(memory)
  }

  /** Before what was left is offered: a command that its worker left must not go on beside ours. */
  async #recoverIfLeft(): Promise<number> {
    const { store, clock } = this.#parts.keeper
    const isOffered = (await store.read()).reclaimable(clock.now()).length > 0
    if (!this.#hasLeft && !isOffered) return 0
    this.#hasLeft = false
    return await this.#recover()
  }

  /** One for each issue that can be taken, as far as so many may work at once. */
  #choose(memory: IssueMemory): readonly LoopMember[] {
    const { options, keeper } = this.#parts
    const now = keeper.clock.now()
    const share = new OfferShare(memory, now, this.#tally.setAside)
    // What somebody is about to claim is not there for anybody else.
    for (const { isClaiming, workerId } of this.#members) if (isClaiming) share.takeFor(workerId)
    const room = options.parallel - this.#members.filter(({ isBusy }) => isBusy).length
    const free = this.#waiting().filter(member => member.isRested(now))
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
      this.#turnstile.send(member.workerId)
    }
  }

  /** How much was settled. */
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
      this.#countRecovered(one)
    }
    return all.filter(({ how }) => how !== 'waiting').length
  }

  #countRecovered({ how, issueId, resultClass }: Omit<Recovered, 'stepId'>): void {
    if (how === 'finished' && resultClass === 'completed') this.#tally.close(issueId)
  }

  #idle(memory: IssueMemory): RunEndWhy | undefined {
    const { keeper, options, attention } = this.#parts
    const now = keeper.clock.now()
    // A clock that was set back must not make us wait the longer.
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
    const isAwaited = this.#waiting().length > 0
    const changed = this.#turnstile.changedSince(seen)
    await Promise.race(isAwaited ? [changed, clock.sleep(pollMs)] : [changed])
  }

  async #end(why: RunEndWhy): Promise<RunSummary> {
    const { keeper, budget, attention, options } = this.#parts
    const now = keeper.clock.now()
    const left = await this.#guarded(async () => leftWork(await keeper.store.read(), now))
    const ended = left?.open === 0 && why === 'budget' ? 'done' : why
    const summary = {
      runId: options.runId,
      why: ended,
      closed: this.#tally.closed,
      failed: this.#tally.failed,
      refused: this.#tally.refused,
      lost: this.#tally.lost,
      steps: this.#steps,
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
