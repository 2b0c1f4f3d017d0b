/** Parses `--since`: a time, or a duration before now. */
import { instantOf, seconds } from '../../timestamp.ts'

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400, w: 7 * 86_400 } as const

/** Larger values would leave the range of four-digit years. */
const secondsMax = 1_000 * 366 * 86_400

/** Returns `undefined` if the text is neither. */
export function sinceOf(text: string, now: bigint): bigint | undefined {
  const [, count, unit] = /^(\d{1,12})([smhdw])$/.exec(text) ?? []
  if (count === undefined) return instantOf(text)
  const span = Number(count) * secondsOf[unit as keyof typeof secondsOf]
  return now - seconds(Math.min(span, secondsMax))
}
