/** The workers of a run, each at work in its own time, and what they came to so far. */
import { Fault } from '../../fault.ts'
import * as matters from '../../kernel/harness/run/run-attention.ts'
import type { RunEvent, StepEvent } from '../../kernel/harness/run/run-event.ts'
import type { RunKeeper } from '../../kernel/harness/run/run-session.ts'
import { type EndedWork, FailureStreak, RunTally } from '../../kernel/harness/run/run-tally.ts'
import { pieceOf, stepIdOf } from '../../kernel/harness/step/step-id.ts'
import type { BootOptions } from '../boot.ts'
import type { Harness } from '../harness.ts'
import { type Recovered, recoverSteps } from '../step/recover.ts'
import type { WorkOptions } from '../step/step.ts'
import type { Attention } from './attention.ts'
import { LoopMember, type LoopWorker, type Quit, quitAfter } from './loop-member.ts'
import type { RunBudget } from './run-budget.ts'
import { Turnstile } from './worker-queue.ts'

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

/** How often in a row a worker finds issue memory busy before it goes home. */
const busyTimesMax = 5

export class LoopCrew {
  /** In the order they are sent. */
  readonly members: readonly LoopMember[]
  readonly turnstile = new Turnstile()
  readonly tally = new RunTally()
  readonly quits: Quit[] = []
  steps = 0
  /** Somebody went home, and may have left work behind. */
  hasLeft = false
  readonly #parts: LoopParts
  /** Of all of them together: what is broken for everybody is told before each has found out. */
  readonly #streak = new FailureStreak()
  readonly #alike = new Set<string>()
  /** Pieces of work that somebody claimed here and has not come to an end with. */
  readonly #atWork = new Set<string>()

  constructor(parts: LoopParts) {
    this.#parts = parts
    this.members = parts.workers.map(
      worker => new LoopMember(worker, (member, event) => this.#hear(member, event)),
    )
  }

  /** Those that have not gone home. */
  get present(): readonly LoopMember[] {
    return this.members.filter(({ isGone }) => !isGone)
  }

  get waiting(): readonly LoopMember[] {
    return this.members.filter(({ workerId }) => this.turnstile.isWaiting(workerId))
  }

  /** Each until it is sent home, or goes. */
  start(): readonly Promise<void>[] {
    return this.members.map(member => this.#employ(member))
  }

  sendHome(): void {
    this.turnstile.shut()
  }

  /** What was cut off, and closed its issue all the same when somebody finished it. */
  countRecovered({ how, stepId, issueId, resultClass }: Recovered): void {
    // Of another run, which counted it or is dead, it is no step of this one.
    if (how !== 'waiting' && this.#atWork.delete(pieceOf(stepId))) this.steps++
    if (how === 'finished' && resultClass === 'completed') this.tally.close(issueId)
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
      this.hasLeft = true
      this.turnstile.notice()
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
    while ((await this.turnstile.wait(workerId)) === 'work') {
      if (!(await this.#patiently(member))) return
    }
    tell({ event: 'worker.ended', workerId, why: 'sent_home' })
  }

  #quit({ workerId }: LoopMember, quit: Quit): void {
    const { tell, attention } = this.#parts
    const { message, next, isCommon } = quit
    this.quits.push(quit)
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
      const { workerId, issueId } = member
      tell({ event: 'note', workerId, message: error.message })
      if (issueId !== undefined) {
        tell({ event: 'attempt.dropped', workerId, issueId, why: 'memory_busy' })
      }
      // What it was at is finished or undone before it takes anything else.
      await recoverSteps(member.harness)
      member.rest(keeper.clock.now())
      return true
    }
  }

  /** Whether the worker goes on. */
  async #step(member: LoopMember): Promise<boolean> {
    const { budget, options, keeper } = this.#parts
    const except = this.tally.setAside
    const ended = await member.work({ ...options.workOptions(member.harness), except })
    member.issueId = undefined
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

  async #conclude(ended: EndedWork, member: LoopMember): Promise<void> {
    const { isClosed } = member
    const { attention, budget } = this.#parts
    const { workerId } = ended
    this.steps++
    this.#atWork.delete(pieceOf(ended.stepId))
    const verdict = this.tally.take(ended)
    if (verdict === 'refused') attention.call(matters.refusedAttention(workerId, ended))
    if (verdict === 'lost') attention.call(matters.leaseLostAttention(workerId, ended))
    if (verdict === 'failed' && isClosed) {
      attention.call(matters.unverifiedAttention(workerId, ended))
    }
    if (verdict !== 'refused' && verdict !== 'failed') return
    await budget.countFailure()
    const left = await member.uncommitted()
    if (left !== undefined) attention.call(matters.leftoverAttention(workerId, ended.issueId, left))
  }

  #hear(member: LoopMember, event: StepEvent): void {
    const { workerId } = member
    const { attention, tell } = this.#parts
    tell({ ...ofIssue(event, member.issueId), workerId })
    switch (event.event) {
      case 'claimed':
        member.issueId = event.issueId
        member.isClaiming = false
        this.#atWork.add(pieceOf(stepIdOf(workerId, event.issueId, event.fence, 1)))
        this.turnstile.notice()
        break
      case 'recovered':
        this.countRecovered(event)
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
      case 'attempt.ended':
        this.#watchStreaks(member, event)
    }
  }

  #watchStreaks(
    { streak, workerId }: LoopMember,
    { issueId, failureClasses }: Extract<StepEvent, { readonly event: 'attempt.ended' }>,
  ): void {
    const { attention } = this.#parts
    const [own, all] = [streak.take(failureClasses), this.#streak.take(failureClasses)]
    if (own !== undefined && !this.#alike.has(own)) {
      attention.call(matters.repeatedAttention(workerId, issueId, own))
    } else if (all !== undefined) {
      this.#alike.add(all)
      attention.call(matters.commonAttention(issueId, all))
    }
  }
}

/** A command says what it is run for; for which issue, its worker knows. */
const ofIssue = (event: StepEvent, issueId: string | undefined): StepEvent =>
  issueId !== undefined && (event.event === 'phase' || event.event === 'quiet')
    ? { ...event, issueId }
    : event
