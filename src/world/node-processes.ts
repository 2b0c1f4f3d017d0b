import { startCommand } from './node-command.ts'
import { endGroup, isGroupAlive } from './node-group.ts'
import { onStopSignal } from './stop-signals.ts'
import type { Processes } from './world.ts'

/** Needs a POSIX system: `sh`, process groups, `mkfifo`, and `/proc` or `ps`. */
export const nodeProcesses: Processes = {
  async run(command) {
    const { end } = await startCommand(command)
    return await end
  },

  start: startCommand,

  async groupAlive(group) {
    return isGroupAlive(group)
  },

  endGroup,

  onStopSignal,
}
