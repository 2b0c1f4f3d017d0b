/** Answers the calls of the MCP server: each in a context of its own, without a terminal. */
import type { Page } from '../answer.ts'
import { Secrets } from '../kernel/text/secrets.ts'
import type { ToolCall, ToolHost } from '../mcp/tool-host.ts'
import type { OperationContext } from '../project/context.ts'
import { version } from '../project/version.ts'
import type { Clock, Processes } from '../world/world.ts'
import { callExposedWarm } from './call-warm.ts'
import {
  allTools,
  exposedTool,
  instructions,
  resourceCall,
  resources,
  resourceTemplates,
} from './mcp-tools.ts'

interface Serving {
  readonly name: string
  /** The issue memory that calls use unless they name another. */
  readonly issues: string | undefined
}

export async function mcpHost(
  { name, issues }: Serving,
  context: OperationContext,
): Promise<ToolHost> {
  const env = issues === undefined ? context.env : { ...context.env, PREMATH_ISSUES_PATH: issues }
  return {
    ...{ name, version, instructions, resources, resourceTemplates, resourceCall },
    tools: await allTools(),
    async call(call) {
      const entry = exposedTool(call.name)
      if (!entry) throw new Error(`${call.name} was listed and does not exist`)
      return await callExposedWarm(entry, call.args, contextOf(call, { ...context, env }))
    },
  }
}

/** Standard input is the client's, so no command may read it. */
function contextOf(
  { progress, signal, origin }: ToolCall,
  context: OperationContext,
): OperationContext {
  const secrets = new Secrets()
  return {
    ...context,
    surface: 'mcp',
    origin,
    secrets,
    json: true,
    stdin: nothing(),
    isAtTerminal: () => false,
    asker: () => undefined,
    confirmer: () => undefined,
    withStatusLine: async (line, act) => {
      const report = () => progress(secrets.text(line(reportPage).trim()))
      return await reporting(report, act, context.clock)
    },
    progress: line => progress(secrets.text(line)),
    processes: async () => stoppable(await context.processes(), signal),
  }
}

const reportPage: Page = { columns: 120, ink: (_ink, text) => text }
const reportMs = 1_000

/** Reports before the work, each second and after it: a host then knows that the call goes on. */
async function reporting<T>(report: () => void, act: () => Promise<T>, clock: Clock): Promise<T> {
  let isOver = false
  void (async () => {
    while (!isOver) {
      report()
      await clock.sleep(reportMs)
    }
  })()
  try {
    return await act()
  } finally {
    isOver = true
    report()
  }
}

async function* nothing(): AsyncIterable<Uint8Array> {}

/** To cancel a call is to press Ctrl-C at its command. The signals of this process are the server's. */
function stoppable(processes: Processes, signal: AbortSignal): Processes {
  return {
    run: command => processes.run(command),
    start: command => processes.start(command),
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
