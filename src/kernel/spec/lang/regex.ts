/** Regular expressions are matched by whoever evaluates: a kernel cannot end what runs too long. */
import type { SpecError } from './spec-error.ts'

export interface Regex {
  /** Whether the pattern matches somewhere in the text, within so many milliseconds. */
  test(pattern: string, text: string, limitMs: number): boolean | SpecError
}
