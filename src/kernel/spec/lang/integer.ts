/** Integers are exact: a JavaScript number up to 2^53, a BigInt beyond. */

export type Integer = number | bigint

/** Longer integers are refused: arithmetic with them would outlast every budget. */
export const integerDigitsMax = 4300

const integerEnd = 10n ** BigInt(integerDigitsMax)

/** True for integers, not for whole floats. */
export function isInteger(item: unknown): item is Integer {
  return Number.isSafeInteger(item) || typeof item === 'bigint'
}

/** Each integer has one representation; `undefined` if it has too many digits. */
export function integerOf(exact: bigint): Integer | undefined {
  const near = Number(exact)
  if (Number.isSafeInteger(near)) return near
  return -integerEnd < exact && exact < integerEnd ? exact : undefined
}

/** Reads decimal digits with an optional sign, or the digits of base 8 or 16 after `0o` or `0x`. */
export function integerIn(text: string): Integer | undefined {
  // Fast path: most integers are short. Adding 0 turns -0 into 0.
  if (text.length < 16) return Number(text) + 0
  // Reading costs more than linear time, so the length is checked first.
  return text.length <= integerDigitsMax + 1 ? integerOf(BigInt(text)) : undefined
}
