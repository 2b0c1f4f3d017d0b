/** A verifier decides whether work is done: by a command or by specs. */
import type { StepCommand } from '../../wire/harness/step-row.ts'
import type { CommandRun } from './command.ts'

export interface Verification {
  readonly passed: boolean
  /** True if a stop signal ended it. */
  readonly stopped: boolean
  /** One entry per run of a command. A verifier that runs a command again has two. */
  readonly commands: readonly StepCommand[]
  /** Empty if it passed. */
  readonly failureClasses: readonly string[]
  /** For people. */
  readonly summary: string
}

export interface Verifier {
  /** The command, for messages. */
  readonly name: string
  verify(run: CommandRun): Promise<Verification>
}
