/** Runs cases in parallel. The result does not depend on the number of jobs. */

import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { SpecAttempt } from '../wire/spec/spec-report.ts'
import { type CaseOutcome, CaseTally } from './case-outcome.ts'
import { Round } from './round.ts'
import type { SpecRun } from './spec-run.ts'

export interface RunPlan {
  /** In the order of the report. */
  readonly cases: readonly RawCase[]
  /** How many cases run at the same time. */
  readonly jobs: number
  /** After the first failure, start no more cases and end the running ones. */
  readonly failFast: boolean
  /** How often each case runs; default 1. */
  readonly repeat?: number | undefined
  /** How often a failed case is retried; default 0. */
  readonly retry?: number | undefined
  /** The outcome of a case that does not run, for example because a capability is missing. */
  instead?(raw: RawCase): CaseOutcome | undefined
  /** Judges the outcome of each attempt; by default it stays as it is. */
  judge?(raw: RawCase, outcome: CaseOutcome): CaseOutcome
  /** Called at the start of each attempt. */
  onBegin?(raw: RawCase): void
  /** Called when the outcome of the case is final. */
  onOutcome?(raw: RawCase, outcome: CaseOutcome): void
}

export interface PlannedOutcome {
  readonly raw: RawCase
  /** `undefined` if another case failed or the run was stopped first. */
  readonly outcome: CaseOutcome | undefined
  /** All attempts, if there was more than one. */
  readonly attempts?: readonly SpecAttempt[]
}

/** How long cases run back to back before the event loop gets a turn. */
const turnMs = 20

export async function runPlan(run: SpecRun, plan: RunPlan): Promise<readonly PlannedOutcome[]> {
  const tallies = new Map<RawCase, CaseTally>()
  const queue = new TaskQueue(tasksOf(run, plan), run)
  let turnBegan = run.now()
  const work = async () => {
    for (let task = queue.next(); task !== undefined; task = queue.next()) {
      if (run.stopped) return
      plan.onBegin?.(task.raw)
      const outcomes = await outcomesOf(task, plan)
      queue.done(task)
      // An interrupted attempt has no verdict.
      const decided = outcomes.filter(({ failure }) => !failure?.stopped)
      if (decided.length > 0) keep(task.raw, decided, tallies, plan)
      if (plan.failFast && decided.at(-1)?.status === 'fail') run.stop()
      // Cases without effects never wait. Yield, so that running commands are served.
      if (run.now() - turnBegan < turnMs) continue
      await new Promise(resolve => setImmediate(resolve))
      turnBegan = run.now()
    }
  }
  const tasks = plan.cases.length * (plan.repeat ?? 1)
  await Promise.all(Array.from({ length: Math.max(1, Math.min(plan.jobs, tasks)) }, work))
  return plan.cases.map(raw => plannedOutcome(raw, tallies.get(raw), plan))
}

/** One attempt of a case, with the round whose prerequisites it shares. */
interface Task {
  readonly raw: RawCase
  readonly round: Round
}

/** Generated lazily: there may be many repetitions. */
function* tasksOf(run: SpecRun, { cases, repeat = 1 }: RunPlan): Iterator<Task> {
  for (let repetition = 0; repetition < repeat; repetition++) {
    const round = new Round(run)
    for (const raw of cases) yield { raw, round }
  }
}

/** The first attempt and its retries. */
async function outcomesOf(
  { raw, round }: Task,
  { instead, judge = (_raw, outcome) => outcome, retry = 0 }: RunPlan,
): Promise<readonly CaseOutcome[]> {
  const other = instead?.(raw)
  if (other !== undefined) return [judge(raw, other)]
  let outcome = judge(raw, await round.once(raw))
  const outcomes = [outcome]
  while (outcomes.length <= retry && isWorthAnother(outcome) && !round.run.stopped) {
    outcome = judge(raw, await new Round(round.run).once(raw))
    outcomes.push(outcome)
  }
  return outcomes
}

/** A case with an error of its own fails in every attempt. */
const isWorthAnother = ({ status, failure }: CaseOutcome): boolean =>
  status === 'fail' && failure?.category !== 'schema'

function keep(
  raw: RawCase,
  outcomes: readonly CaseOutcome[],
  tallies: Map<RawCase, CaseTally>,
  { repeat = 1, onOutcome }: RunPlan,
): void {
  const tally = tallies.get(raw) ?? new CaseTally()
  tallies.set(raw, tally)
  for (const outcome of outcomes) {
    if (repeat > 1) tally.repeated(outcome)
    else tally.tried(outcome)
  }
  if (tally.decisive && tally.attempts.length >= repeat) onOutcome?.(raw, tally.decisive)
}

function plannedOutcome(
  raw: RawCase,
  tally: CaseTally | undefined,
  { repeat = 1 }: RunPlan,
): PlannedOutcome {
  const { decisive, attempts = [] } = tally ?? {}
  // One failure is decisive. Passes are decisive only after all repetitions.
  const isDecided = decisive?.status === 'fail' || attempts.length >= repeat
  const outcome = isDecided ? decisive : undefined
  return { raw, outcome, ...(attempts.length > 1 && { attempts }) }
}

/** Serves cases in order, and postpones cases whose concurrency keys are in use. */
class TaskQueue {
  readonly #tasks: Iterator<Task>
  readonly #run: SpecRun
  /** Postponed cases, by the key they wait for. */
  readonly #passedOver = new Map<string, PassedOver>()
  /** Keys of started cases; they may not be held yet. */
  readonly #given: string[] = []

  constructor(tasks: Iterator<Task>, run: SpecRun) {
    this.#tasks = tasks
    this.#run = run
  }

  next(): Task | undefined {
    const task = this.#take(this.#isFree) ?? this.#nextFree() ?? this.#take(() => true)
    for (const key of task === undefined ? [] : this.#run.locksOf(task.raw)) this.#given.push(key)
    return task
  }

  done({ raw }: Task): void {
    for (const key of this.#run.locksOf(raw)) this.#given.splice(this.#given.indexOf(key), 1)
  }

  readonly #isFree = ({ keys }: Pick<PassedOver, 'keys'>): boolean =>
    this.#run.keys.areFree(keys) && !keys.some(key => this.#given.includes(key))

  #nextFree(): Task | undefined {
    for (let next = this.#tasks.next(); !next.done; next = this.#tasks.next()) {
      const keys = this.#run.locksOf(next.value.raw)
      if (this.#isFree({ keys })) return next.value
      this.#passOver(next.value, keys)
    }
    return undefined
  }

  #passOver(task: Task, keys: readonly string[]): void {
    const name = JSON.stringify(keys)
    const known = this.#passedOver.get(name)
    if (known) known.tasks.push(task)
    else this.#passedOver.set(name, { keys, tasks: [task], taken: 0 })
  }

  #take(isGood: (one: PassedOver) => boolean): Task | undefined {
    for (const [name, one] of this.#passedOver) {
      if (!isGood(one)) continue
      const task = one.tasks[one.taken++]
      if (one.taken >= one.tasks.length) this.#passedOver.delete(name)
      return task
    }
    return undefined
  }
}

interface PassedOver {
  readonly keys: readonly string[]
  readonly tasks: Task[]
  taken: number
}

interface Waiting {
  readonly keys: readonly string[]
  readonly begin: () => void
}

/** Cases that share a key under `concurrency` run one after the other, in order of arrival. */
export class ConcurrencyKeys {
  readonly #held = new Set<string>()
  readonly #waiting: Waiting[] = []

  areFree(keys: readonly string[]): boolean {
    return keys.every(key => !this.#held.has(key))
  }

  /** Takes all keys at once, so that no case holds one key while it waits for another. */
  async holding<T>(keys: readonly string[], act: () => Promise<T>): Promise<T> {
    if (keys.length === 0) return await act()
    if (this.areFree(keys)) this.#take(keys)
    else await new Promise<void>(begin => this.#waiting.push({ keys, begin }))
    try {
      return await act()
    } finally {
      for (const key of keys) this.#held.delete(key)
      this.#wake()
    }
  }

  #take(keys: readonly string[]): void {
    for (const key of keys) this.#held.add(key)
  }

  #wake(): void {
    for (const waiting of [...this.#waiting]) {
      if (!this.areFree(waiting.keys)) continue
      this.#take(waiting.keys)
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.begin()
    }
  }
}
