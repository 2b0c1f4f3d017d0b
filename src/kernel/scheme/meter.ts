/** Counts what a program uses. The same program uses the same amounts each time. */

export interface Budget {
  /** Calls of procedures, and items that builtins go through. */
  readonly steps: number
  /** Bytes of all values ever made. Released memory is not given back: when that happens, varies. */
  readonly bytes: number
  /** Calls of host functions. */
  readonly calls: number
  /** Calls that wait for another. */
  readonly depth: number
}

export type BudgetName = 'step' | 'memory' | 'call' | 'depth' | 'time'

/** A pair or a closure, as V8 stores it. */
const cellBytes = 40

/** The longest text. V8 allows about five times as much, and a change of case can triple a text. */
const textCharsMax = 100_000_000

export class Meter {
  readonly budget: Budget
  steps = 0
  bytes = 0
  calls = 0
  /** Set when a budget is exceeded. The machine looks after each call of a builtin. */
  over: BudgetName | undefined

  constructor(budget: Budget) {
    this.budget = budget
  }

  /** Pays for work on this many items; false if the budget is exceeded. */
  visit(items: number): boolean {
    this.steps += items
    return this.steps <= this.budget.steps || this.#exceed('step')
  }

  /** Pays for work on a text. */
  visitText(length: number): boolean {
    return this.visit(length >> 6)
  }

  /** Pays for pairs, closures and entries before they are made. */
  allotCells(count: number): boolean {
    this.bytes += count * cellBytes
    return this.bytes <= this.budget.bytes || this.#exceed('memory')
  }

  /** Pays for a text before it is made. */
  allotText(length: number): boolean {
    this.bytes += cellBytes + 2 * length
    if (this.bytes > this.budget.bytes || length > textCharsMax) return this.#exceed('memory')
    return this.visitText(length)
  }

  #exceed(name: BudgetName): false {
    this.over ??= name
    return false
  }
}
