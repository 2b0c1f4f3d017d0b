/** Shortens long texts for messages. */
import type { SpecValue } from '../lang/value.ts'

const charsMax = 400
const aroundChars = 120

/** Keeps the start and the end. Texts are quoted; JSON is already on one line. */
export function shortened(
  text: string,
  written: (part: string) => string = quoted,
  most = charsMax,
): string {
  if (text.length <= most) return written(text)
  const half = most >> 1
  const cut = text.length - 2 * half
  return `${written(text.slice(0, half))} … ${cut} characters … ${written(text.slice(-half))}`
}

const quoted = (text: string) => JSON.stringify(text)
const asItIs = (text: string) => text

/** Texts in quotes, other values as JSON: 3 is not "3". */
export const writingOf = (value: SpecValue) => (typeof value === 'string' ? quoted : asItIs)

/** The text around an offset, and how much is left out. */
export function shortenedAround(
  text: string,
  at: number | undefined,
  written: (part: string) => string = quoted,
): string {
  if (text.length <= charsMax || at === undefined) return shortened(text, written)
  const start = Math.max(0, Math.min(at - aroundChars, text.length - charsMax))
  const end = Math.min(text.length, start + charsMax)
  const before = start > 0 ? `… ${start} characters … ` : ''
  const after = end < text.length ? ` … ${text.length - end} characters …` : ''
  return `${before}${written(text.slice(start, end))}${after}`
}

/** The offset of the first difference. */
export function differenceAt(text: string, wanted: string): number {
  const shared = Math.min(text.length, wanted.length)
  for (let at = 0; at < shared; at++) {
    if (text.charCodeAt(at) !== wanted.charCodeAt(at)) return at
  }
  return shared
}

/** The offset of the longest prefix of the expected text, within a search limit. */
export function likelyPlace(text: string, wanted: string): number | undefined {
  for (let length = Math.min(wanted.length, 64); length >= 4; length >>= 1) {
    const at = text.indexOf(wanted.slice(0, length))
    if (at >= 0) return at
  }
  return undefined
}
