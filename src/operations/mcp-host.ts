/** Answers the calls of the MCP server: each in a context of its own, without a terminal. */
import type { Page } from '../answer.ts'
import { Secrets } from '../kernel/text/secrets.ts'
import type { ToolCall, ToolHost } from '../mcp/tool-host.ts'
import type { OperationContext } from '../project/context.ts'
import { version } from '../project/version.ts'
import type { Clock } from '../world/world.ts'
import { callExposedWarm } from './call-warm.ts'
import {
  allTools,
  exposedTool,
  instructions,
  resourceCall,
  resources,
  resourceTemplates,
} from './mcp-tools.ts'
import { unattended } from './unattended.ts'

interface Serving {
  readonly name: string
  /** Called after each call that may leave a close to be worked off. */
  onClaimOrClose(): void
  /** The issue memory that calls use unless they name another. */
  readonly issues: string | undefined
}

export async function mcpHost(
  { name, issues, onClaimOrClose }: Serving,
  context: OperationContext,
): Promise<ToolHost> {
  const env = issues === undefined ? context.env : { ...context.env, PREMATH_ISSUES_PATH: issues }
  return {
    ...{ name, version, instructions, resources, resourceTemplates, resourceCall },
    tools: await allTools(),
    async call(call) {
      const entry = exposedTool(call.name)
      if (!entry) throw new Error(`${call.name} was listed and does not exist`)
      const called = await callExposedWarm(entry, call.args, contextOf(call, { ...context, env }))
      if (wakesCloses.includes(call.name)) onClaimOrClose()
      return called
    },
  }
}

/** A command that claims works the queue off first. Over MCP its answer does not wait for that. */
const wakesCloses = ['issue_close', 'issue_claim', 'issue_claim_next']

function contextOf(
  { progress, signal, origin }: ToolCall,
  context: OperationContext,
): OperationContext {
  const secrets = new Secrets()
  return {
    ...unattended(context, signal),
    origin,
    secrets,
    withStatusLine: async (line, act) => {
      const report = () => progress(secrets.text(line(reportPage).trim()))
      return await reporting(report, act, context.clock)
    },
    progress: line => progress(secrets.text(line)),
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
