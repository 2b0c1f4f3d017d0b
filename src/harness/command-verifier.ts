/** Verification by a command: exit code 0 says that the work is done. */
import { verificationClasses } from '../kernel/harness/failure-class.ts'
import { type CommandRun, endInWords, runCommand } from './command.ts'
import type { Harness } from './harness.ts'
import type { Verification, Verifier } from './verify.ts'

/** A failure that is gone when the command runs again at once is flaky, whichever way it failed. */
export function commandVerifier(text: string, harness: () => Harness): Verifier {
  return {
    name: text,
    async verify(run: CommandRun): Promise<Verification> {
      const first = await runCommand(harness(), 'verify', text, run)
      const summary = `verification ${endInWords(first.end)}`
      if (!first.failure)
        return { passed: true, commands: [first.command], failureClasses: [], summary }
      const { verificationClass, failureClasses } = first.failure
      if (verificationClass !== 'semantic' || first.end.stopped) {
        return { passed: false, commands: [first.command], failureClasses, summary }
      }
      const second = await runCommand(harness(), 'verify', text, run, 'verify-again')
      const commands = [first.command, second.command]
      if (second.failure) return { passed: false, commands, failureClasses, summary }
      return {
        passed: false,
        commands,
        failureClasses: [verificationClasses.flaky],
        summary: `${summary}, and passed when it was run again`,
      }
    },
  }
}
