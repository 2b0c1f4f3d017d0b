/**
 * The regex port. The kernel cannot interrupt a slow match, so the evaluator supplies the engine.
 */
import type { SpecError } from './spec-error.ts'

export interface Regex {
  /** Whether the pattern matches anywhere in the text within the time that is left. */
  test(pattern: string, text: string, time: MatchTime): boolean | SpecError
}

/** The time that an expression may still run. */
export interface MatchTime {
  leftMs(): number
  /** Runs a start-up that the expression does not pay for. */
  uncounted<T>(run: () => T): T
}
