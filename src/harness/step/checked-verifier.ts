/** Verification with the checks that a policy requires. They run before the verifier. */
import type { RequiredCheck } from '../../kernel/instruction/run-instruction.ts'
import type { StepCommand } from '../../wire/harness/step-row.ts'
import type { Harness } from '../harness.ts'
import { commandVerifier, type Verifier } from './command-verifier.ts'

export function checkedVerifier(
  checks: readonly RequiredCheck[],
  verifier: Verifier,
  harness: () => Harness,
): Verifier {
  if (checks.length === 0) return verifier
  return {
    // All commands: a verification that passed before counts again only for the same ones.
    name: [...checks.map(({ command }) => command), verifier.name].join(' && '),
    dependsOnChange: verifier.dependsOnChange,
    async verify(run) {
      const commands: StepCommand[] = []
      for (const { checkId, command } of checks) {
        const env = { ...run.env, PREMATH_CHECK_ID: checkId }
        const ran = await commandVerifier(command, harness).verify({ ...run, env })
        commands.push(...ran.commands)
        if (ran.passed && !ran.stopped) continue
        const summary = `the check ${checkId}, which a policy requires, failed: ${ran.summary}`
        return { ...ran, commands, summary, passed: false }
      }
      // Last, because the proof is about the last command.
      const last = await verifier.verify(run)
      return { ...last, commands: [...commands, ...last.commands] }
    },
  }
}
