import { operations } from '../operations/index.ts'
import { nodeWorld } from '../world/node-world.ts'
import { allCommands } from './commands.ts'
import { runCommand } from './run.ts'

export async function start(argv: readonly string[]): Promise<never> {
  const exitCode = await runCommand(argv, allCommands(operations), nodeWorld())
  // Everything was written when it was printed; an open standard input must not keep us alive.
  process.exit(exitCode)
}
