/** Verification by specs: `premath spec run` in the worker's folder, a process like any other check. */

import type { Harness } from '../../harness/harness.ts'
import { commandVerifier, type Verifier } from '../../harness/step/command-verifier.ts'
import type { OperationContext } from '../context.ts'
import { mainInPackage } from '../version.ts'

/** The environment names this premath, so that the command is the same on every machine. */
const nodeVariable = 'PREMATH_NODE'
const mainVariable = 'PREMATH_MAIN'
/** Tells the command that it verifies for the harness. Without a sandbox, work can set it too. */
export const witnessVariable = 'PREMATH_LEAVES_WITNESS'

/** The same command as argv, for callers outside the loop. */
export const specCommand = (
  paths: readonly string[],
  context: Pick<OperationContext, 'nodePath' | 'packageFolder'>,
): readonly [string, ...string[]] => [context.nodePath(), mainOf(context), 'spec', 'run', ...paths]

const mainOf = ({ packageFolder }: Pick<OperationContext, 'packageFolder'>) =>
  `${packageFolder()}/${mainInPackage}`

/** The command as text for a shell. A proof records its digest. */
export function specCommandText(paths: readonly string[]): string {
  const words = paths.map(path => `'${path.replaceAll("'", "'\\''")}'`).join(' ')
  return `"$${nodeVariable}" "$${mainVariable}" spec run ${words}`
}

export function specVerifier(
  paths: readonly string[],
  harness: () => Harness,
  context: Pick<OperationContext, 'nodePath' | 'packageFolder'>,
): Verifier {
  const { verify } = commandVerifier(specCommandText(paths), harness)
  const name = `premath spec run ${paths.join(' ')}`
  return {
    name,
    async verify(run) {
      const env = {
        ...run.env,
        [nodeVariable]: context.nodePath(),
        [mainVariable]: mainOf(context),
        [witnessVariable]: '1',
      }
      const { failed, ...verification } = await verify({ ...run, env, leavesWitnesses: true })
      // An agent cannot run the command with the variables.
      return { ...verification, ...(failed && { failed: { ...failed, text: name } }) }
    },
  }
}
