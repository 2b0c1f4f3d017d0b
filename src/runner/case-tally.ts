/** What a case came to over all the times it was run. */
import type { CaseOutcome } from './case-outcome.ts'

export interface Attempt {
  readonly status: CaseOutcome['status']
  readonly durationMs: number
  readonly message: string | null
}

export class CaseTally {
  /** The one that decides: the last one, or among repetitions the first that failed. */
  #decisive: CaseOutcome | undefined
  readonly #attempts: Attempt[] = []

  /** A repetition that fails cannot be made good by another one. */
  repeated(outcome: CaseOutcome): void {
    if (this.#decisive?.status !== 'fail') this.#decisive = outcome
    this.#keep(outcome)
  }

  /** A retry puts its outcome in the place of the one before. */
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

/** Whether it passed some times and failed others. */
export const isFlaky = (attempts: readonly Attempt[] = []): boolean =>
  attempts.some(({ status }) => status === 'pass') &&
  attempts.some(({ status }) => status === 'fail')
