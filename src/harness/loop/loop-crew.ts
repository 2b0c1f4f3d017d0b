/** The workers of a run, which run concurrently, and their results so far. */
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
  /** The maximum number of concurrent workers. */
  readonly parallel: number
  /** How long to wait for new work when no issue is ready. */
  readonly idleMs: number
  workOptions(harness: Harness): Omit<WorkOptions, 'except'>
}

export interface LoopParts {
  /**
   * The harness that coordinates the run, with its worker lock held. A single worker coordinates
   * itself.
   */
  readonly keeper: Harness
  /** In order of dispatch. */
  readonly workers: readonly LoopWorker[]
  readonly budget: RunBudget
  readonly attention: Attention
  readonly options: LoopOptions
  tell(event: RunEvent): void
}

/** A worker ends after it finds issue memory locked this many times in a row. */
const busyTimesMax = 5

export class LoopCrew {
  /** In order of dispatch. */
  readonly members: readonly LoopMember[]
  readonly turnstile = new Turnstile()
  readonly tally = new RunTally()
  readonly quits: Quit[] = []
  steps = 0
  /** True if a worker ended since the last recovery and may have left an unfinished step. */
  hasLeft = false
  readonly #parts: LoopParts
  /** Counts failures across all workers, to report a shared cause before each worker meets it. */
  readonly #streak = new FailureStreak()
  readonly #alike = new Set<string>()
  /** Claims of this run that have not ended. */
  readonly #atWork = new Set<string>()

  constructor(parts: LoopParts) {
    this.#parts = parts
    this.members = parts.workers.map(
      worker => new LoopMember(worker, (member, event) => this.#hear(member, event)),
    )
  }

  /** The workers that have not ended. */
  get present(): readonly LoopMember[] {
    return this.members.filter(({ isGone }) => !isGone)
  }

  get waiting(): readonly LoopMember[] {
    return this.members.filter(({ workerId }) => this.turnstile.isWaiting(workerId))
  }

  /** Starts every worker. Each promise resolves when its worker ends. */
  start(): readonly Promise<void>[] {
    return this.members.map(member => this.#employ(member))
  }

  sendHome(): void {
    this.turnstile.shut()
  }

  /** Counts a recovered step, and its issue if the recovery closed it. */
  countRecovered({ how, stepId, issueId, resultClass }: Recovered): void {
    // A step of another run is not counted here.
    if (how !== 'waiting' && this.#atWork.delete(pieceOf(stepId))) this.steps++
    if (how === 'finished' && resultClass === 'completed') this.tally.close(issueId)
  }

  /** A fault ends this worker only. */
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

  /**
   * Runs a step and tolerates a locked issue memory a few times in a row. Returns false if the
   * worker must end.
   */
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
      // Finish or undo the interrupted step before the worker claims another issue.
      await recoverSteps(member.harness)
      member.rest(keeper.clock.now())
      return true
    }
  }

  /** Returns false if the worker must end. */
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

/** Adds the issue to events of commands, which do not know it. */
const ofIssue = (event: StepEvent, issueId: string | undefined): StepEvent =>
  issueId !== undefined && (event.event === 'phase' || event.event === 'quiet')
    ? { ...event, issueId }
    : event
