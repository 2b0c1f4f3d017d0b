/** Output in a job of GitHub Actions, where a line of a program's output could be a command. */
import { endsAtLineStart, withoutCommands } from '../kernel/text/workflow-commands.ts'
import type { Output, World } from '../world/world.ts'

/** The world whose outputs contain no workflow command. Annotations go to the given world. */
export const withoutWorkflowCommands = (world: World): World =>
  world.env['GITHUB_ACTIONS']
    ? { ...world, out: withoutCommandsIn(world.out), err: withoutCommandsIn(world.err) }
    : world

function withoutCommandsIn(output: Output): Output {
  let isAtLineStart = true
  const cleaned = (text: string) => {
    const printed = withoutCommands(text, isAtLineStart)
    isAtLineStart = endsAtLineStart(text, isAtLineStart)
    return printed
  }
  return {
    write: text => output.write(cleaned(text)),
    async threaded() {
      const thread = await output.threaded?.()
      return (
        thread && {
          write: text => thread.write(cleaned(text)),
          get pending() {
            return thread.pending
          },
          flush: () => thread.flush(),
        }
      )
    },
    isTerminal: () => output.isTerminal(),
    columns: () => output.columns(),
    rows: () => output.rows(),
  }
}
