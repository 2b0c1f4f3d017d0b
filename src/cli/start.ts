import type { ExitCode } from '../answer.ts'
import { stepAt, stepMarkPath } from '../kernel/sandbox/step-mark.ts'
import { operations } from '../operations/index.ts'
import type { Operations } from '../operations/operation.ts'
import { nodeWorld } from '../world/node-world.ts'
import { decodeUtf8 } from '../world/utf8.ts'
import type { World } from '../world/world.ts'
import { allCommands } from './commands.ts'
import { runCommand } from './run.ts'

/**
 * Runs one command line in this process's world, but for the parts that are given. `watched` may
 * wrap the commands.
 */
export async function start(
  argv: readonly string[],
  given: Partial<World> = {},
  watched: (commands: Operations) => Operations = commands => commands,
): Promise<ExitCode> {
  const world = { ...nodeWorld(), ...given }
  return await runCommand(argv, watched(allCommands(operations)), await inStep(world))
}

/** In the sandbox of a step a file says so, which work cannot remove from its environment. */
async function inStep(world: World): Promise<World> {
  const mark = await world.files.readIfPresent(stepMarkPath)
  if (!mark) return world
  const { env } = world
  const stepId = stepAt(decodeUtf8(mark), { cwd: world.cwd(), env })
  return stepId === undefined ? world : { ...world, env: { ...env, PREMATH_STEP_ID: stepId } }
}
