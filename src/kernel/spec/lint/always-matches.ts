/** Patterns that match every text. */
import { translatePattern } from '../lang/pattern.ts'
import type { Regex } from '../lang/regex.ts'

/**
 * Where a pattern matches the empty text, it does so without reading a character, and can do the
 * same at the start of any text, and at its end. What it asks about a place must hold there too: a
 * start at the start, an end at the end. What it asks about both, or about what is around, depends
 * on the text.
 */
export function alwaysMatches(pattern: string, regex: Regex, limitMs: number): boolean {
  const read = translatePattern(pattern)
  if ('category' in read) return false
  const { asks } = read
  if (asks.has('word') || asks.has('around') || (asks.has('start') && asks.has('end'))) return false
  return regex.test(pattern, '', limitMs) === true
}
