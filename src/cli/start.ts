import type { ExitCode } from '../answer.ts'
import { operations } from '../operations/index.ts'
import { nodeWorld } from '../world/node-world.ts'
import type { World } from '../world/world.ts'
import { allCommands } from './commands.ts'
import { runCommand } from './run.ts'

/** Runs one command line in this process's world, but for the parts that are given. */
export async function start(
  argv: readonly string[],
  given: Partial<World> = {},
): Promise<ExitCode> {
  return await runCommand(argv, allCommands(operations), { ...nodeWorld(), ...given })
}
