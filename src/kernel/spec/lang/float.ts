/**
 * Whole numbers that were written with a fraction or an exponent. `1.0` is not the integer `1` to
 * whatever looks at kinds, and is printed as it will be read. All other numbers are plain ones:
 * that 1.5 is no integer can be seen.
 */

/** From here on numbers are printed with an exponent whatever they were, and have one kind. */
export const digitsEnd = 1e21

export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  /** JSON, and what a message shows. */
  toString(): string {
    return `${this.value}.0`
  }
}

/** What a number is that was written with a fraction or an exponent. */
export function floatOf(value: number): number | Float {
  const looksLikeInteger = Number.isInteger(value) && Math.abs(value) < digitsEnd
  // -0 is equal to 0, and nobody means it.
  return looksLikeInteger ? new Float(value + 0) : value
}

/** A number of either kind as one computes with it; `undefined` for what is none. */
export function numberOf(item: unknown): number | undefined {
  if (typeof item === 'number') return item
  return item instanceof Float ? item.value : undefined
}
