/**
 * Whole numbers written with a fraction or an exponent. `1.0` differs from the integer `1` wherever
 * kinds matter, and prints as `1.0`. Other numbers are plain JavaScript numbers.
 */

/** Larger numbers always print with an exponent and have one kind. */
export const digitsEnd = 1e21

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

/** The JavaScript number of either kind; `undefined` for other values. */
export function numberOf(item: unknown): number | undefined {
  if (typeof item === 'number') return item
  return item instanceof Float ? item.value : undefined
}
