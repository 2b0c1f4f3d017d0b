/** Runs many cases, several at a time. What comes out does not depend on how many. */
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { CaseOutcome } from './case-outcome.ts'
import type { ConcurrencyKeys } from './concurrency-keys.ts'
import { concurrencyOf } from './run-case.ts'
import type { SpecRun } from './spec-run.ts'

export interface RunPlan {
  /** In the order of the answer. */
  readonly cases: readonly RawCase[]
  /** How many run at the same time. */
  readonly jobs: number
  /** Begin nothing more once a case failed. */
  readonly failFast: boolean
  /** What becomes of a case that is not run, such as for want of a capability. */
  instead?(raw: RawCase): CaseOutcome | undefined
  /** Told when a case begins. */
  onBegin?(raw: RawCase): void
  /** Told when it has ended. */
  onOutcome?(raw: RawCase, outcome: CaseOutcome): void
}

export interface PlannedOutcome {
  readonly raw: RawCase
  /** `undefined`: it was not begun, because another failed or the run was stopped. */
  readonly outcome: CaseOutcome | undefined
}

/** Cases run one after the other without a look at anything else. */
const casesPerTurn = 32

export async function runPlan(run: SpecRun, plan: RunPlan): Promise<readonly PlannedOutcome[]> {
  const outcomes = new Map<RawCase, CaseOutcome>()
  const queue = new CaseQueue(plan.cases, run.keys)
  let failed = false
  let begun = 0
  const work = async () => {
    for (let raw = queue.next(); raw !== undefined; raw = queue.next()) {
      if (run.stopped || (failed && plan.failFast)) return
      plan.onBegin?.(raw)
      const outcome = plan.instead?.(raw) ?? (await run.once(raw))
      queue.done(raw)
      outcomes.set(raw, outcome)
      plan.onOutcome?.(raw, outcome)
      failed ||= outcome.status === 'fail'
      // Cases without effects never wait, and commands that run beside them want to be heard.
      if (++begun % casesPerTurn === 0) await new Promise(resolve => setImmediate(resolve))
    }
  }
  const jobs = Math.max(1, Math.min(plan.jobs, plan.cases.length))
  await Promise.all(Array.from({ length: jobs }, work))
  return plan.cases.map(raw => ({ raw, outcome: outcomes.get(raw) }))
}

/** In order, but for cases that would have to wait for their turn: those come when they can. */
class CaseQueue {
  readonly #cases: readonly RawCase[]
  readonly #keys: ConcurrencyKeys
  /** By what they wait for. */
  readonly #passedOver = new Map<string, PassedOver>()
  /** Keys of cases that were given out and are not done; they may not hold them yet. */
  readonly #given: string[] = []
  #next = 0

  constructor(cases: readonly RawCase[], keys: ConcurrencyKeys) {
    this.#cases = cases
    this.#keys = keys
  }

  next(): RawCase | undefined {
    const raw = this.#take(this.#isFree) ?? this.#nextFree() ?? this.#take(() => true)
    for (const key of raw === undefined ? [] : concurrencyOf(raw)) this.#given.push(key)
    return raw
  }

  done(raw: RawCase): void {
    for (const key of concurrencyOf(raw)) this.#given.splice(this.#given.indexOf(key), 1)
  }

  readonly #isFree = ({ keys }: Pick<PassedOver, 'keys'>): boolean =>
    this.#keys.areFree(keys) && !keys.some(key => this.#given.includes(key))

  #nextFree(): RawCase | undefined {
    while (this.#next < this.#cases.length) {
      const raw = this.#cases[this.#next++]
      const keys = raw === undefined ? [] : concurrencyOf(raw)
      if (raw === undefined || this.#isFree({ keys })) return raw
      this.#passOver(raw, keys)
    }
    return undefined
  }

  #passOver(raw: RawCase, keys: readonly string[]): void {
    const name = JSON.stringify(keys)
    const known = this.#passedOver.get(name)
    if (known) known.cases.push(raw)
    else this.#passedOver.set(name, { keys, cases: [raw], taken: 0 })
  }

  #take(isGood: (one: PassedOver) => boolean): RawCase | undefined {
    for (const [name, one] of this.#passedOver) {
      if (!isGood(one)) continue
      const raw = one.cases[one.taken++]
      if (one.taken >= one.cases.length) this.#passedOver.delete(name)
      return raw
    }
    return undefined
  }
}

interface PassedOver {
  readonly keys: readonly string[]
  readonly cases: RawCase[]
  taken: number
}
