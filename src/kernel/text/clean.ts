/** How text from outside is cleaned. JavaScript's own `trim` and `toLowerCase` differ. */
import { byCodePoint } from '../canonical.ts'

/** Without Unicode White_Space at both ends. A loop: a pattern would be quadratic in spaces. */
export function trim(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text.charCodeAt(start))) start++
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--
  return end - start === text.length ? text : text.slice(start, end)
}

/** Unicode White_Space: U+0085 is one; U+FEFF and U+001C to U+001F are not. */
export function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d)
  return (
    unit === 0x85 ||
    unit === 0xa0 ||
    unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000
  )
}

/** The start of a text too long to show, never ending in half of a surrogate pair. */
export function clip(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text
  const last = text.charCodeAt(charsMax - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? charsMax - 1 : charsMax
  return `${text.slice(0, end)}…`
}

/** Lower-cases A to Z and nothing else. */
export function lowerAscii(text: string): string {
  return /[A-Z]/.test(text) ? text.replace(/[A-Z]+/g, letters => letters.toLowerCase()) : text
}

/** Trimmed, without blanks and repeats, in code-point order. */
export function cleanRefs(refs: readonly string[]): readonly string[] {
  if (refs.every((ref, at) => isClean(ref, refs[at - 1]))) return refs
  return [...new Set(refs.map(trim).filter(ref => ref !== ''))].sort(byCodePoint)
}

/** Nearly all lists are clean as they are, and sorting them would cost most of reading a row. */
const isClean = (ref: string, before: string | undefined) =>
  ref !== '' && trim(ref) === ref && (before === undefined || byCodePoint(before, ref) < 0)
