/** Floats as the earlier benchmark rounds and prints them, so that reports compare byte by byte. */

const decimals = 6

/** To six decimals by the exact binary value; a value half-way goes to the even digit. */
export function roundedToSix(value: number): number {
  const halfway = value * 2 ** (decimals + 1)
  // Only odd multiples of 1/128 lie half-way: six decimals are seven factors of two short of them.
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
