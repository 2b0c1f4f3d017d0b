/** The outcome of running a case. */

import type { AssertFailure } from '../kernel/spec/assert/run-assert.ts'
import type { Subject } from '../kernel/spec/assert/subject.ts'
import type { Problem } from '../kernel/spec/document/raw-case.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { SpecAttempt } from '../wire/spec/spec-report.ts'
import type { CaseRecord } from './case-record.ts'
import type { TraceRow } from './run-chain.ts'

export interface CaseFailure
  extends SpecError,
    Partial<Pick<AssertFailure, 'assertPath' | 'target' | 'op' | 'diff' | 'operands' | 'output'>> {
  /** How the outcome differs from the `expect` of the case. */
  readonly disagreements?: readonly string[]
  /** Problems of the case itself, if they made it fail. */
  readonly problems?: readonly Problem[]
  /** The run ended before the case got a verdict. */
  readonly stopped?: true
}

export interface CaseOutcome {
  readonly status: 'pass' | 'fail' | 'skip'
  readonly failure?: CaseFailure
  /** Why the case failed, if it passes because its `expect` says so. */
  readonly expectedFailure?: CaseFailure
  /** The number of predicates that were evaluated. */
  readonly evaluated: number
  readonly warnings: readonly string[]
  /** The cases that its chain ran. */
  readonly trace: readonly TraceRow[]
  /** Excludes the chain. */
  readonly durationMs: number
  /** Subjects that other cases export through their chains. */
  readonly exported: ReadonlyMap<string, Subject>
  /** The recorder of this run. */
  readonly record?: CaseRecord
}

export const nothingExported: CaseOutcome['exported'] = new Map()

/** Combines the outcomes of repetitions and retries of one case. */
export class CaseTally {
  /** The outcome that decides: the last retry, or the first repetition that failed. */
  #decisive: CaseOutcome | undefined
  readonly #attempts: SpecAttempt[] = []

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

  get attempts(): readonly SpecAttempt[] {
    return this.#attempts
  }

  #keep({ status, durationMs, failure }: CaseOutcome): void {
    this.#attempts.push({ status, durationMs, message: failure?.message ?? null })
  }
}

/** True if the case passed in some attempts and failed in others. */
export const isFlaky = (attempts: readonly SpecAttempt[] = []): boolean =>
  attempts.some(({ status }) => status === 'pass') &&
  attempts.some(({ status }) => status === 'fail')
