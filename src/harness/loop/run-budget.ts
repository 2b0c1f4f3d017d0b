/**
 * The remaining budget of a run. It is written to the session before each step, so that a crash
 * returns no step.
 */

import {
  type BudgetLimits,
  exhaustedReason,
  isBounded,
  newBudget,
  recordedUse,
  withRecordedUse,
} from '../../kernel/harness/run/budget.ts'
import { writeSession } from '../../kernel/harness/session.ts'
import type { Session } from '../../wire/harness/session.ts'
import type { Budget } from '../../wire/run/budget.ts'
import type { Harness, SessionFile } from '../harness.ts'

interface BudgetOptions {
  readonly limits: BudgetLimits
  /** Ignore the budget that an earlier run used. */
  readonly afresh: boolean
}

export class RunBudget {
  readonly #session: SessionFile
  readonly #clock: Harness['clock']
  readonly #issuesPath: string
  #use: Budget
  #countedAt: bigint
  #keeping: Promise<void> = Promise.resolve()

  private constructor({ session, clock, issuesPath }: Harness, use: Budget) {
    this.#session = session
    this.#clock = clock
    this.#issuesPath = issuesPath
    this.#use = use
    this.#countedAt = clock.steady()
  }

  static async open(harness: Harness, { limits, afresh }: BudgetOptions): Promise<RunBudget> {
    const { session } = harness
    const before = afresh ? undefined : await session.read()
    const used = before && recordedUse(before, session.path)
    return new RunBudget(harness, { ...newBudget(limits), ...used, ...limits })
  }

  get use(): Budget {
    this.#countTime()
    return this.#use
  }

  get spentWhy(): string | undefined {
    return exhaustedReason(this.use)
  }

  async beginStep(): Promise<void> {
    this.#use = { ...this.use, steps: this.#use.steps + 1 }
    await this.#keep()
  }

  /** A step that found no issue does not count. */
  async takeBack(): Promise<void> {
    this.#use = { ...this.use, steps: this.#use.steps - 1 }
    await this.#keep()
  }

  async countFailure(): Promise<void> {
    this.#use = { ...this.use, failures: this.#use.failures + 1 }
    await this.#keep()
  }

  /** Records the used time while work continues, so that a crash returns little of it. */
  keepTime(): void {
    this.#keeping = this.#keeping
      .then(() => this.#keep())
      .catch(() => {
        // The next awaited write reports the failure.
      })
  }

  /** Ends the run. A finished run leaves the next one a full budget. */
  async end(isFinished: boolean, write: (before: Session | undefined) => Session): Promise<void> {
    await this.#keeping
    const { use } = this
    await this.#session.update(before =>
      withRecordedUse(write(before), isFinished || !isBounded(use) ? undefined : use),
    )
  }

  async begin(write: (before: Session | undefined) => Session): Promise<void> {
    const { use } = this
    await this.#session.update(before =>
      withRecordedUse(write(before), isBounded(use) ? use : undefined),
    )
  }

  async #keep(): Promise<void> {
    const { use } = this
    if (!isBounded(use)) return
    await this.#session.update(before => withRecordedUse(before ?? this.#begun(), use))
  }

  #begun(): Session {
    const write = { state: 'active', issuesPath: this.#issuesPath, issuesSnapshotRef: undefined }
    return writeSession(undefined, { ...write, state: 'active' }, this.#clock.now())
  }

  #countTime(): void {
    const now = this.#clock.steady()
    const passed = Number((now - this.#countedAt) / 1_000_000n)
    this.#countedAt = now
    this.#use = { ...this.#use, milliseconds: this.#use.milliseconds + passed }
  }
}
