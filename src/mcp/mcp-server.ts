/**
 * One server for one connection or one request. It holds no state, so it serves every revision of the
 * protocol, and both transports.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server'
import { errorOutput } from '../answer.ts'
import type { JsonObject } from '../kernel/json.ts'
import { printJson } from '../kernel/text/print-json.ts'
import { callOriginOf } from './call-origin.ts'
import type { CallQueue } from './call-queue.ts'
import type { Tool, ToolAnswer, ToolCall, ToolHost } from './tool-host.ts'

/** The members of a request that a call needs. */
interface Asked {
  readonly mcpReq: {
    readonly signal: AbortSignal
    readonly _meta?: {
      readonly [member: string]: unknown
      progressToken?: string | number | undefined
    }
    notify(notification: { method: string; params?: Record<string, unknown> }): Promise<void>
  }
}

export function mcpServer(host: ToolHost, queue: CallQueue): Server {
  const { name, version, instructions } = host
  const server = new Server(
    { name, version, title: 'premath' },
    { capabilities: { tools: {}, resources: {} }, instructions },
  )

  async function call(
    asked: Pick<ToolCall, 'name' | 'args'>,
    { mcpReq }: Asked,
  ): Promise<ToolAnswer> {
    const { tell: progress, sent } = progressOf(mcpReq)
    const origin = callOriginOf(mcpReq._meta as JsonObject | undefined)
    const answer = await queue.run(mcpReq.signal, signal =>
      host.call({ ...asked, origin, progress, signal }),
    )
    await sent()
    return answer ?? turnedAway
  }

  server.setRequestHandler('tools/list', async () => ({ tools: host.tools.map(listed) }))

  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (!host.tools.some(tool => tool.name === params.name)) throw unknownTool(params.name)
    const args = (params.arguments ?? {}) as JsonObject
    return resultOf(await call({ name: params.name, args }, context))
  })

  server.setRequestHandler('resources/list', async () => ({ resources: host.resources.map(json) }))

  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: host.resourceTemplates.map(({ uri, ...more }) =>
      json({ ...more, uriTemplate: uri }),
    ),
  }))

  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const asked = host.resourceCall(uri)
    if (asked === undefined) throw new ResourceNotFoundError(uri)
    const { output, isError } = await call(asked, context)
    if (isError) throw new ResourceNotFoundError(uri, printJson(output).trimEnd())
    return { contents: [json({ uri, text: printJson(output) })] }
  })

  return server
}

const json = <T extends object>(resource: T) => ({ ...resource, mimeType: 'application/json' })

/**
 * Text and structured content are the same value, because hosts show one or the other. The value is
 * read back from the text, so that both have the same numbers.
 */
export function resultOf({ output, isError }: ToolAnswer) {
  const text = printJson(output)
  return {
    content: [{ type: 'text' as const, text }],
    structuredContent: JSON.parse(text) as Record<string, unknown>,
    ...(isError && { isError }),
  }
}

function listed({ name, title, description, inputSchema, outputSchema, ...tool }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: { ...inputSchema, type: 'object' as const },
    ...(outputSchema && { outputSchema: { ...outputSchema, type: 'object' as const } }),
    annotations: {
      title,
      readOnlyHint: tool.isReadOnly,
      destructiveHint: tool.isDestructive,
      idempotentHint: tool.isIdempotent,
      openWorldHint: false,
    },
    _meta: tool.isAlwaysLoaded
      ? { 'anthropic/alwaysLoad': true }
      : { 'anthropic/searchHint': `premath ${name.replaceAll('_', ' ')}: ${title}` },
  }
}

const turnedAway: ToolAnswer = {
  output: errorOutput(
    {},
    {
      code: 'unavailable',
      message: 'too many calls wait for an answer',
      hint: 'Call again after earlier calls are answered.',
    },
    3,
  ),
  isError: true,
}

const unknownTool = (name: string) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `unknown tool ${JSON.stringify(name)}: tools/list names the tools`,
  )

/** Sends each line if the client asked for progress. A client that left gets none. */
function progressOf({ _meta, notify }: Asked['mcpReq']) {
  const progressToken = _meta?.progressToken
  const sending: Promise<void>[] = []
  return {
    tell(message: string) {
      if (progressToken === undefined) return
      const params = { progressToken, progress: sending.length + 1, message }
      sending.push(notify({ method: 'notifications/progress', params }).catch(() => {}))
    },
    /** A host forgets the token with the answer, so that comes last. */
    sent: () => Promise.all(sending),
  }
}
