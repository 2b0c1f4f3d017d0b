/** Verification by a command. Exit code 0 means that the work is done. */
import { verificationClasses } from '../../kernel/harness/retry/failure-class.ts'
import type { StepCommand } from '../../wire/harness/step-row.ts'
import type { Harness } from '../harness.ts'
import { type CommandRun, describeEnd, type RanCommand, runCommand } from './command.ts'

/** Runs a failed command again. If the second run passes, the failure is flaky. */
export function commandVerifier(text: string, harness: () => Harness): Verifier {
  return {
    name: text,
    async verify(run: CommandRun): Promise<Verification> {
      const first = await runCommand(harness(), 'verify', text, run)
      const summary = `the verification ${describeEnd(first.end)}`
      const { stopped } = first.end
      const once = { commands: [first.command], summary, stopped }
      const { witness } = first
      if (!first.failure) return { ...once, passed: true, failureClasses: [], witness }
      const { verificationClass, failureClasses } = first.failure
      const failed = { ...once, passed: false, failureClasses, failed: first }
      if (verificationClass !== 'semantic' || stopped) return failed
      const second = await runCommand(harness(), 'verify', text, run, 'verify-again')
      const twice = {
        ...failed,
        commands: [first.command, second.command],
        stopped: second.end.stopped,
      }
      if (second.failure) return { ...twice, failed: second }
      return {
        ...twice,
        failureClasses: [verificationClasses.flaky],
        summary: `${summary}, and passed when it was run again`,
      }
    },
  }
}

/** A verifier decides whether work is done: by a command or by specs. */
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
  /** The witness of the specs that passed. */
  readonly witness?: string | undefined
  /** Refs of other witnesses, which say how the verification went. */
  readonly witnessRefs?: readonly string[] | undefined
  /** The last run that failed. */
  readonly failed?: RanCommand
}

export interface Verifier {
  /** The command, for messages. */
  readonly name: string
  /** True if the same files may need other commands, so that no earlier result counts for them. */
  readonly dependsOnChange?: boolean | undefined
  verify(run: CommandRun): Promise<Verification>
}
