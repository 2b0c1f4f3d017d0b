/** Combines the outcomes of repetitions and retries of one case. */
import type { CaseOutcome } from './case-outcome.ts'

export interface Attempt {
  readonly status: CaseOutcome['status']
  readonly durationMs: number
  readonly message: string | null
}

export class CaseTally {
  /** The outcome that decides: the last retry, or the first repetition that failed. */
  #decisive: CaseOutcome | undefined
  readonly #attempts: Attempt[] = []

  /** One failed repetition fails the case. */
  repeated(outcome: CaseOutcome): void {
    if (this.#decisive?.status !== 'fail') this.#decisive = outcome
    this.#keep(outcome)
  }

  /** A retry replaces the outcome before it. */
  tried(outcome: CaseOutcome): void {
    this.#decisive = outcome
    this.#keep(outcome)
  }

  get decisive(): CaseOutcome | undefined {
    return this.#decisive
  }

  get attempts(): readonly Attempt[] {
    return this.#attempts
  }

  #keep({ status, durationMs, failure }: CaseOutcome): void {
    this.#attempts.push({ status, durationMs, message: failure?.message ?? null })
  }
}

/** True if the case passed in some attempts and failed in others. */
export const isFlaky = (attempts: readonly Attempt[] = []): boolean =>
  attempts.some(({ status }) => status === 'pass') &&
  attempts.some(({ status }) => status === 'fail')
