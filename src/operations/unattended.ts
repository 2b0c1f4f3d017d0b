/** The context of a request that no person at a terminal makes: it can ask nobody. */
import type { OperationContext } from '../project/context.ts'
import type { Processes } from '../world/world.ts'

/** Whoever asks this way counts as an agent. Standard input is not for the request. */
export const unattended = (context: OperationContext, signal: AbortSignal): OperationContext => ({
  ...context,
  surface: 'mcp',
  json: true,
  stdin: nothing(),
  isAtTerminal: () => false,
  asker: () => undefined,
  confirmer: () => undefined,
  withStatusLine: async (_line, act) => await act(),
  processes: async () => stoppable(await context.processes(), signal),
})

async function* nothing(): AsyncIterable<Uint8Array> {}

/** To cancel a request is to press Ctrl-C at its command. The signals of this process are its own. */
function stoppable(processes: Processes, signal: AbortSignal): Processes {
  return {
    run: command => processes.run(command),
    start: command => processes.start(command),
    isRunning: id => processes.isRunning(id),
    groupAlive: group => processes.groupAlive(group),
    endGroup: group => processes.endGroup(group),
    onStopSignal(handler) {
      const stop = () => handler('SIGINT')
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop)
      return () => signal.removeEventListener('abort', stop)
    },
  }
}
