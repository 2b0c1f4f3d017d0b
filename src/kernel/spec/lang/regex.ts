/**
 * The regex port. The kernel cannot interrupt a slow match, so the evaluator supplies the engine.
 */
import type { SpecError } from './spec-error.ts'

export interface Regex {
  /** Whether the pattern matches anywhere in the text within the time limit. */
  test(pattern: string, text: string, limitMs: number): boolean | SpecError
}
