/**
 * Whole numbers written with a fraction or an exponent. `1.0` differs from the integer `1` wherever
 * kinds matter, and prints as `1.0`. Other floats are plain JavaScript numbers.
 */
import type { Integer } from './integer.ts'

/** Larger floats print with an exponent, so they never look like an integer. */
const digitsEnd = 1e21

export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  /** Used in JSON and messages. */
  toString(): string {
    return `${this.value}.0`
  }
}

/** The value of a number written with a fraction or an exponent. */
export function floatOf(value: number): number | Float {
  const looksLikeInteger = Number.isInteger(value) && Math.abs(value) < digitsEnd
  // Normalizes -0 to 0.
  return looksLikeInteger ? new Float(value + 0) : value
}

export type SpecNumber = Integer | Float

export function isNumber(item: unknown): item is SpecNumber {
  return typeof item === 'number' || typeof item === 'bigint' || item instanceof Float
}

/** Integers beyond 2^53 stay exact, and JavaScript compares them exactly with other numbers. */
export const exactly = (item: SpecNumber): Integer => (item instanceof Float ? item.value : item)

/** The nearest JavaScript number of either kind; `undefined` for other values. */
export function numberOf(item: unknown): number | undefined {
  return isNumber(item) ? Number(exactly(item)) : undefined
}
