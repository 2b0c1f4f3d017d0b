/** Counts what an expression uses. Builtins ask before they work or allocate. */
import type { Budget } from './budget.ts'
import { type BudgetName, budgetExceeded, type Failure } from './spec-error.ts'

/** Steps between two looks at the clock. */
const slice = 256
/** Turns of a loop between two looks at the clock. */
const turnsPerLook = 4096
/**
 * What work inside a builtin costs in steps, so that a step is some hundred nanoseconds anywhere.
 * Nothing is free: a million lists of one item are work too.
 */
const itemsCost = (count: number) => 1 / 4 + count / 16
const textCost = (length: number) => 1 / 16 + length / 1024

export class Meter {
  /** What ended the evaluation. Whoever runs a builtin looks here afterwards. */
  over: Failure | undefined
  readonly maxDepth: number
  readonly #now: () => number
  #deadline: number
  #stepsLeft: number
  #sizeLeft: number
  /** The part of the steps left that may be used before the clock is looked at. */
  #fuel = 0
  #turnsLeft = turnsPerLook

  constructor(budget: Budget, now: () => number) {
    this.maxDepth = budget.maxDepth
    this.#now = now
    this.#deadline = budget.timeoutMs === 0 ? Number.POSITIVE_INFINITY : now() + budget.timeoutMs
    this.#stepsLeft = budget.maxSteps
    this.#sizeLeft = budget.maxSize
    this.#refuel()
  }

  /** Whether so many steps more are allowed. */
  spend(steps: number): boolean {
    this.#fuel -= steps
    return this.#fuel >= 0 || this.#lookAround(steps)
  }

  /** Asks before a list of so many items is made. */
  allotItems(count: number): boolean {
    return this.#allot(count) && this.spend(itemsCost(count))
  }

  /** Asks before a text of so many characters is made. */
  allotText(length: number): boolean {
    return this.#allot(length) && this.spend(textCost(length))
  }

  /** Pays for looking at so many items, without making any. */
  visitItems(count: number): boolean {
    return this.spend(itemsCost(count))
  }

  visitText(length: number): boolean {
    return this.spend(textCost(length))
  }

  /**
   * Asked at each turn of a loop whose work was paid for at once: a step is an estimate, and how
   * long a million of them take is for the clock to say.
   */
  hasTime(): boolean {
    if (--this.#turnsLeft > 0) return true
    this.#turnsLeft = turnsPerLook
    return this.isInTime()
  }

  /** Looks at the clock now. */
  isInTime(): boolean {
    if (this.over !== undefined) return false
    const isLate = this.#deadline !== Number.POSITIVE_INFINITY && this.#now() > this.#deadline
    return !isLate || this.exceed('timeout')
  }

  exceed(name: BudgetName): false {
    this.over ??= budgetExceeded(name)
    // Whoever spends next is told.
    this.#fuel = 0
    return false
  }

  /**
   * Runs what keeps to a limit of milliseconds by itself. What it took beyond that went into
   * getting started, and is not held against the expression.
   */
  timed<T>(run: (limitMs: number) => T): T | undefined {
    const before = this.#now()
    const limit = this.#deadline - before
    if (limit <= 0) {
      this.exceed('timeout')
      return undefined
    }
    const result = run(limit)
    this.#deadline += Math.max(0, this.#now() - before - limit)
    return result
  }

  #allot(size: number): boolean {
    this.#sizeLeft -= size
    return this.#sizeLeft >= 0 || this.exceed('size')
  }

  #lookAround(steps: number): boolean {
    if (this.over !== undefined) return false
    this.#stepsLeft += this.#fuel
    this.#fuel = 0
    if (this.#stepsLeft < 0) return this.exceed('steps')
    if (!this.isInTime()) return false
    // Much work at once is yet to be done: without fuel, the clock is looked at right after it.
    if (steps < slice) this.#refuel()
    return true
  }

  #refuel(): void {
    const fuel = Math.min(slice, this.#stepsLeft)
    this.#stepsLeft -= fuel
    this.#fuel = fuel
  }
}

/** For reading what no budget is about. */
export function unlimitedMeter(): Meter {
  const none = Number.POSITIVE_INFINITY
  const sizes = { maxNodes: none, maxLiteralBytes: none, maxSize: none }
  return new Meter({ ...sizes, maxSteps: none, maxDepth: none, timeoutMs: 0 }, () => 0)
}
