/** Patterns that match every text. */
import { translatePattern } from '../lang/pattern.ts'
import type { Regex } from '../lang/regex.ts'

/**
 * True if the pattern matches the empty text at the start or the end of every text. Assertions in
 * it must hold there too: a start at the start, an end at the end. Lookaround and combinations
 * depend on the text.
 */
export function alwaysMatches(pattern: string, regex: Regex, limitMs: number): boolean {
  const read = translatePattern(pattern)
  if ('category' in read) return false
  const { asks } = read
  if (asks.has('word') || asks.has('around') || (asks.has('start') && asks.has('end'))) return false
  return regex.test(pattern, '', limitMs) === true
}
