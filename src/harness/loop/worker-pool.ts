/** The workers of a run, which run concurrently, and their results so far. */
import { Fault } from '../../fault.ts'
import * as matters from '../../kernel/harness/run/run-attention.ts'
import type { RunEvent, StepEvent, StepEventOf } from '../../kernel/harness/run/run-event.ts'
import type { RunOwner } from '../../kernel/harness/run/run-session.ts'
import {
  type EndedWork,
  EnvironmentWatch,
  FailureStreak,
  RunTally,
} from '../../kernel/harness/run/run-tally.ts'
import { parkedClass } from '../../kernel/harness/step/step-decision.ts'
import { stepIdOf, withoutAttempt } from '../../kernel/harness/step/step-id.ts'
import type { TargetLack } from '../../kernel/landing/lacking-work.ts'
import type { RunRequest } from '../../wire/run/run-event.ts'
import type { BootOptions } from '../boot.ts'
import type { Harness } from '../harness.ts'
import { type Recovered, recoverSteps } from '../step/recover.ts'
import type { WorkOptions } from '../step/step.ts'
import type { Attention } from './attention.ts'
import { exitAfter, type LoopWorker, PoolWorker, type WorkerExit } from './pool-worker.ts'
import type { RunBudget } from './run-budget.ts'
import { WorkerQueue } from './worker-queue.ts'

export interface LoopOptions extends BootOptions {
  readonly runId: string
  readonly mode: RunOwner['mode']
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
  readonly coordinator: Harness
  /** In order of dispatch. */
  readonly workers: readonly LoopWorker[]
  readonly budget: RunBudget
  readonly attention: Attention
  readonly options: LoopOptions
  /** Work of closed issues that the target of the run lacked at its start. */
  readonly lack?: TargetLack | undefined
  /** What a person asks of the run at this moment. */
  readonly request?: () => Promise<RunRequest | undefined>
  emit(event: RunEvent): void
}

/** A worker ends after it finds issue memory locked this many times in a row. */
const busyTimesMax = 5

export class WorkerPool {
  /** In order of dispatch. */
  readonly workers: readonly PoolWorker[]
  readonly queue = new WorkerQueue()
  readonly tally = new RunTally()
  readonly exits: WorkerExit[] = []
  steps = 0
  /** True if a worker ended since the last recovery and may have left an unfinished step. */
  hasEnded = false
  readonly #parts: LoopParts
  /** Counts failures across all workers, to report a shared cause before each worker meets it. */
  readonly #streak = new FailureStreak()
  readonly #alike = new Set<string>()
  readonly #environment = new EnvironmentWatch()
  /** True once a command could not run. The run ends when every worker has finished its step. */
  isEnvironmentBroken = false
  /** Claims of this run that have not ended. */
  readonly #atWork = new Set<string>()

  constructor(parts: LoopParts) {
    this.#parts = parts
    this.workers = parts.workers.map(
      options => new PoolWorker(options, (worker, event) => this.#onEvent(worker, event)),
    )
  }

  /** The workers that have not ended. */
  get running(): readonly PoolWorker[] {
    return this.workers.filter(({ isEnded }) => !isEnded)
  }

  get waiting(): readonly PoolWorker[] {
    return this.workers.filter(({ workerId }) => this.queue.isWaiting(workerId))
  }

  /** Starts every worker. Each promise resolves when its worker ends. */
  start(): readonly Promise<void>[] {
    return this.workers.map(worker => this.#runWorker(worker))
  }

  endWaiting(): void {
    this.queue.close()
  }

  /** Counts a recovered step, and its issue if the recovery closed it. */
  countRecovered({ how, stepId, issueId, resultClass }: Recovered): void {
    // A step of another run is not counted here.
    if (how !== 'waiting' && this.#atWork.delete(withoutAttempt(stepId))) this.steps++
    if (how === 'finished' && resultClass === 'completed') this.tally.close(issueId)
  }

  /** A fault ends this worker only. */
  async #runWorker(worker: PoolWorker): Promise<void> {
    try {
      await worker.hold(() => this.#workUntilEnd(worker))
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#quit(worker, (await worker.missingWorktreeExit()) ?? exitAfter(error))
    } finally {
      worker.isEnded = true
      this.hasEnded = true
      this.queue.notice()
    }
  }

  async #workUntilEnd(worker: PoolWorker): Promise<void> {
    const { options, emit, coordinator } = this.#parts
    const unready = await worker.boot(options)
    if (unready && coordinator.stop.aborted) return
    if (unready) {
      this.#quit(worker, unready)
      return
    }
    const { workerId } = worker
    while ((await this.queue.wait(workerId)) === 'work') {
      if (!(await this.#patiently(worker))) return
    }
    emit({ event: 'worker.ended', workerId, why: 'sent_home' })
  }

  #quit({ workerId }: PoolWorker, quit: WorkerExit): void {
    const { emit, attention } = this.#parts
    const { message, next, isCommon } = quit
    this.exits.push(quit)
    if (!isCommon) attention.call(matters.workerEndedAttention(workerId, message, next))
    emit({ event: 'worker.ended', workerId, why: 'quit', message })
  }

  /**
   * Runs a step and tolerates a locked issue memory a few times in a row. Returns false if the
   * worker must end.
   */
  async #patiently(worker: PoolWorker): Promise<boolean> {
    const { emit, coordinator } = this.#parts
    try {
      const goesOn = await this.#step(worker)
      worker.busyTimes = 0
      return goesOn
    } catch (error) {
      const isBusy = error instanceof Fault && error.code === 'conflict'
      if (!isBusy || ++worker.busyTimes > busyTimesMax) throw error
      const { workerId, issueId } = worker
      emit({ event: 'note', workerId, message: error.message })
      if (issueId !== undefined) {
        emit({ event: 'attempt.dropped', workerId, issueId, why: 'memory_busy' })
      }
      // Finish or undo the interrupted step before the worker claims another issue.
      await recoverSteps(worker.harness)
      worker.rest(coordinator.clock.steady())
      return true
    }
  }

  /** Returns false if the worker must end. */
  async #step(worker: PoolWorker): Promise<boolean> {
    const { budget, options, coordinator, request } = this.#parts
    const except = this.tally.setAside
    const ended = await worker.work({ ...options.workOptions(worker.harness), except, request })
    worker.issueId = undefined
    if (ended && 'code' in ended) {
      this.#quit(worker, ended)
      return false
    }
    if (ended) await this.#conclude(ended, worker)
    else {
      await budget.takeBack()
      worker.rest(coordinator.clock.steady())
    }
    return true
  }

  async #conclude(ended: EndedWork, worker: PoolWorker): Promise<void> {
    const { isClosed } = worker
    const { attention, budget } = this.#parts
    const { workerId } = ended
    this.steps++
    this.#atWork.delete(withoutAttempt(ended.stepId))
    const verdict = this.tally.take(ended)
    if (verdict === 'refused') attention.call(matters.refusedAttention(workerId, ended))
    if (verdict === 'lost') attention.call(matters.leaseLostAttention(workerId, ended))
    if (verdict === 'failed' && isClosed) {
      attention.call(matters.unverifiedAttention(workerId, ended))
    }
    if (ended.failureClasses.includes(parkedClass)) {
      attention.call(matters.parkedAttention(workerId, ended))
    }
    if (verdict !== 'refused' && verdict !== 'failed') return
    await budget.countFailure()
  }

  #onEvent(worker: PoolWorker, event: StepEvent): void {
    const { workerId } = worker
    const { attention, emit } = this.#parts
    emit({ ...ofIssue(event, worker.issueId), workerId })
    switch (event.event) {
      case 'claimed':
        worker.issueId = event.issueId
        worker.isClaiming = false
        this.#atWork.add(withoutAttempt(stepIdOf(workerId, event.issueId, event.fence, 1)))
        this.queue.notice()
        break
      case 'recovered':
        this.countRecovered(event)
        break
      case 'quiet':
        attention.call(matters.quietAttention(workerId, worker.issueId, event))
        break
      case 'lease.renewed':
        this.#parts.budget.keepTime()
        break
      case 'lease.ending':
        attention.call(matters.leaseEndingAttention(workerId, event))
        break
      case 'attempt.ended':
        this.#watchStreaks(worker, event)
        this.#watchEnvironment(worker, event)
    }
  }

  #watchEnvironment({ workerId }: PoolWorker, event: StepEventOf<'attempt.ended'>): void {
    if (!this.#environment.take(event) || this.isEnvironmentBroken) return
    this.isEnvironmentBroken = true
    this.#parts.attention.call(matters.environmentAttention(workerId, event))
    this.queue.notice()
  }

  #watchStreaks(
    { streak, workerId }: PoolWorker,
    { issueId, failureClasses, resultClass }: StepEventOf<'attempt.ended'>,
  ): void {
    // The attempts on one issue have a cause in that issue.
    if (resultClass.startsWith('retry_needed')) return
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
