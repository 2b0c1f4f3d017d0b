import { operations } from '../operations/index.ts'
import { nodeWorld } from '../world/node-world.ts'
import { allCommands } from './commands.ts'
import { runCommand } from './run.ts'

export async function start(argv: readonly string[]): Promise<never> {
  const exitCode = await runCommand(argv, allCommands(operations), nodeWorld())
  // Output is already written. An open stdin must not keep the process alive.
  process.exit(exitCode)
}
