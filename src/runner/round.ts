/**
 * Each case runs once per round, for all cases that need it. Every repetition and retry is a round,
 * and so is a chain whose cases share a folder: what they find there must not depend on other cases.
 */
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { CaseOutcome } from './case-outcome.ts'
import { notStarted, runCase } from './run-case.ts'
import type { SpecRun } from './spec-run.ts'
import type { TemporaryFolder } from './temporary-folder.ts'

export class Round {
  readonly run: SpecRun
  /** The folder that its cases share; `undefined` if each has its own. */
  readonly folder: TemporaryFolder | undefined
  readonly #outcomes = new Map<RawCase, Promise<CaseOutcome>>()
  readonly #outer: Round | undefined

  constructor(run: SpecRun, folder?: TemporaryFolder, outer?: Round) {
    this.run = run
    this.folder = folder
    this.#outer = outer
  }

  /** The round for cases with folders of their own. */
  get apart(): Round {
    return this.#outer?.apart ?? this
  }

  /** The round for the cases of one chain. */
  sharing(folder: TemporaryFolder): Round {
    return new Round(this.run, folder, this)
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
