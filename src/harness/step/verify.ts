/** How it is decided that work is done: by a command now, by specs later. */
import type { StepCommand } from '../../kernel/harness/step/step-row.ts'
import type { CommandRun } from './command.ts'

export interface Verification {
  readonly passed: boolean
  /** Ended because this process was asked to stop. */
  readonly stopped: boolean
  /** What ran, one entry a run; a verifier that re-runs has more. */
  readonly commands: readonly StepCommand[]
  /** None where it passed. */
  readonly failureClasses: readonly string[]
  /** In words, for people. */
  readonly summary: string
}

export interface Verifier {
  /** What it runs, for messages. */
  readonly name: string
  verify(run: CommandRun): Promise<Verification>
}
