/**
 * Rounds and prints floats as the earlier Python benchmark does, so that reports are
 * byte-identical.
 */

const decimals = 6

/** Rounds the exact binary value to six decimals, half to even. */
export function roundedToSix(value: number): number {
  const halfway = value * 2 ** (decimals + 1)
  // At six decimals only odd multiples of 1/128 are exactly half-way.
  if (!Number.isSafeInteger(halfway) || halfway % 2 === 0) return Number(value.toFixed(decimals))
  const doubled = (BigInt(halfway) * 10n ** BigInt(decimals)) / 2n ** BigInt(decimals)
  const lower = (doubled - 1n) / 2n
  const even = lower % 2n === 0n ? lower : lower + 1n
  return Number(even) / 10 ** decimals
}

/** Always with a fraction: `1.0`, `0.8`. */
export function printFloat(value: number): string {
  const text = String(value)
  return /^-?\d+$/.test(text) ? `${text}.0` : text
}
