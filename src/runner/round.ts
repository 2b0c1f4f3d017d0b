/**
 * Each case runs once per round, for all cases that need it. Every repetition and retry is a round.
 */
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { CaseOutcome } from './case-outcome.ts'
import { notStarted, runCase } from './run-case.ts'
import type { SpecRun } from './spec-run.ts'

export class Round {
  readonly run: SpecRun
  readonly #outcomes = new Map<RawCase, Promise<CaseOutcome>>()

  constructor(run: SpecRun) {
    this.run = run
  }

  /** Runs the case, or waits for the run in progress. */
  once(raw: RawCase): Promise<CaseOutcome> {
    const known = this.#outcomes.get(raw)
    if (known !== undefined) return known
    const outcome = this.run.stopped ? Promise.resolve(notStarted) : runCase(raw, this)
    this.#outcomes.set(raw, outcome)
    return outcome
  }
}
