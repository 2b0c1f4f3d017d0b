/** Counts the resources of an expression. Builtins reserve before they work or allocate. */
import { type Budget, expressionMsCeiling } from './budget.ts'
import type { MatchTime } from './regex.ts'
import { type BudgetName, budgetExceeded, type Failure } from './spec-error.ts'

/** Steps between two checks of the clock. */
const slice = 256
/** Loop iterations between two checks of the clock. */
const turnsPerLook = 4096
/**
 * The cost of builtin work in steps, so that a step is about a hundred nanoseconds everywhere. Even
 * an empty list costs something.
 */
const itemsCost = (count: number) => 1 / 4 + count / 16
const textCost = (length: number) => 1 / 16 + length / 1024

/** Starts a timer. It returns the milliseconds that the evaluator has run since. */
export type StartTimer = () => () => number

export class Meter implements MatchTime {
  /** Set when the budget is exceeded. Callers of builtins check it afterwards. */
  over: Failure | undefined
  readonly maxDepth: number
  readonly #elapsed: () => number
  #limitMs: number
  #stepsLeft: number
  #sizeLeft: number
  /** Steps left until the next check of the clock. */
  #fuel = 0
  #turnsLeft = turnsPerLook

  constructor(budget: Budget, startTimer: StartTimer) {
    this.maxDepth = budget.maxDepth
    this.#elapsed = startTimer()
    this.#limitMs = budget.timeoutMs === 0 ? expressionMsCeiling : budget.timeoutMs
    this.#stepsLeft = budget.maxSteps
    this.#sizeLeft = budget.maxSize
    this.#refuel()
  }

  /** Spends steps; false if the budget is exceeded. */
  spend(steps: number): boolean {
    this.#fuel -= steps
    return this.#fuel >= 0 || this.#lookAround(steps)
  }

  /** Reserves a list of this many items. */
  allotItems(count: number): boolean {
    return this.#allot(count) && this.spend(itemsCost(count))
  }

  /** Reserves a text of this many characters. */
  allotText(length: number): boolean {
    return this.#allot(length) && this.spend(textCost(length))
  }

  /** Pays for visiting items without allocating. */
  visitItems(count: number): boolean {
    return this.spend(itemsCost(count))
  }

  visitText(length: number): boolean {
    return this.spend(textCost(length))
  }

  /**
   * Called in each iteration of a loop whose steps were paid in advance: steps are an estimate,
   * only the clock knows the time.
   */
  hasTime(): boolean {
    if (--this.#turnsLeft > 0) return true
    this.#turnsLeft = turnsPerLook
    return this.isInTime()
  }

  /** Checks the clock now. */
  isInTime(): boolean {
    if (this.over !== undefined) return false
    return this.leftMs() >= 0 || this.exceed('timeout')
  }

  exceed(name: BudgetName): false {
    this.over ??= budgetExceeded(name)
    // Makes the next spend fail.
    this.#fuel = 0
    return false
  }

  leftMs(): number {
    const limit = this.#limitMs
    return limit === Number.POSITIVE_INFINITY ? limit : limit - this.#elapsed()
  }

  uncounted<T>(run: () => T): T {
    const before = this.leftMs()
    const result = run()
    if (before !== Number.POSITIVE_INFINITY) this.#limitMs += before - this.leftMs()
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
    // After a large reservation, the clock is checked as soon as the work is done.
    if (steps < slice) this.#refuel()
    return true
  }

  #refuel(): void {
    const fuel = Math.min(slice, this.#stepsLeft)
    this.#stepsLeft -= fuel
    this.#fuel = fuel
  }
}

/** A meter without limits, for values outside expressions. */
export function unlimitedMeter(): Meter {
  const none = Number.POSITIVE_INFINITY
  const sizes = { maxNodes: none, maxLiteralBytes: none, maxSize: none }
  return new Meter({ ...sizes, maxSteps: none, maxDepth: none, timeoutMs: 0 }, () => () => 0)
}
