/** Runs the MCP server until its client leaves or somebody stops it. */
import { Fault } from '../fault.ts'
import { shellWord } from '../kernel/text/shell-word.ts'
import { CallQueue } from '../mcp/call-queue.ts'
import { mcpServer } from '../mcp/mcp-server.ts'
import { type HttpPlace, serveHttp } from '../mcp/serve-http.ts'
import { serveStandardStreams } from '../mcp/serve-stdio.ts'
import type { Serving } from '../mcp/serving.ts'
import type { OperationContext } from '../project/context.ts'
import { absolute } from '../project/named-document.ts'
import { readSmall, Unreadable } from '../project/small-document.ts'
import { CloseWorker } from './close-worker.ts'
import { mcpHost } from './mcp-host.ts'

interface Asked {
  readonly http: string | undefined
  readonly tokenFile: string | undefined
  readonly allowHost: readonly string[]
  readonly name: string
  readonly issues: string | undefined
}

/** The longest that the server waits for its calls after it was stopped. */
const lastCallsMs = 10_000

export async function serveTools(asked: Asked, context: OperationContext): Promise<void> {
  const place = asked.http === undefined ? undefined : await httpPlace(asked.http, asked, context)
  const closes = new CloseWorker(context)
  const host = await mcpHost({ ...asked, onClaimOrClose: () => closes.wake() }, context)
  const queue = new CallQueue()
  const factory = () => mcpServer(host, queue)
  const report = (error: Error) => {
    if (context.env['PREMATH_DEBUG']) context.progress(`mcp: ${error.message}`)
  }
  const processes = await context.processes()
  const serving: Serving & { readonly url?: string } = place
    ? await serveHttp(factory, place, report)
    : serveStandardStreams(factory, report)
  const unlisten = processes.onStopSignal(() => void serving.close())
  // Whoever reads the address may stop the server at once.
  if (serving.url !== undefined) context.progress(`Serving MCP at ${serving.url}`)
  // A server that ended before may have left some.
  closes.wake()
  try {
    await serving.ended
    await Promise.race([queue.close(), context.clock.sleep(lastCallsMs)])
    await closes.stop()
  } finally {
    unlisten()
  }
}

const loopback = ['127.0.0.1', 'localhost', '::1']

async function httpPlace(
  address: string,
  { tokenFile, allowHost: allowedHosts }: Asked,
  context: OperationContext,
): Promise<HttpPlace> {
  const { host, port } = addressIn(address)
  if (!loopback.includes(host) && allowedHosts.length === 0) {
    throw new Fault('usage', `--http ${address} would serve other machines`, {
      hint: `Serve this machine: --http 127.0.0.1:${port}. Or name the host that other machines use: --allow-host <name>.`,
    })
  }
  if (tokenFile === undefined) {
    throw new Fault('usage', '--http needs a token, without which anybody could call the tools', {
      hint: 'Name a file that has it, or where premath may create one: --token-file ~/.premath-token.',
    })
  }
  const token = context.sha256(await tokenIn(tokenFile, context))
  // Digests are compared, so the time that it takes says nothing about the token.
  return { host, port, allowedHosts, isToken: given => context.sha256(given) === token }
}

function addressIn(address: string): { readonly host: string; readonly port: number } {
  const [, bracketed, name, digits] =
    /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]\s]+)):(\d+)$/.exec(address) ?? []
  const port = Number(digits)
  const host = bracketed ?? name
  if (host === undefined || port > 65_535) {
    throw new Fault(
      'usage',
      `--http must look like 127.0.0.1:8765, not ${JSON.stringify(address)}`,
      {
        hint: 'Port 0 takes a free one.',
      },
    )
  }
  return { host, port }
}

const shortestToken = 16

async function tokenIn(file: string, context: OperationContext): Promise<string> {
  const disk = await context.disk()
  const path = absolute(file, context)
  const made = Array.from({ length: 4 }, context.random).join('')
  if (await disk.makePrivate(path, new TextEncoder().encode(`${made}\n`))) return made
  const entry = await disk.entry(path)
  if (entry?.kind !== 'file' || !entry.isPrivate) {
    throw new Fault(
      'invalid_input',
      `${file} has the token, and is not a file of its owner alone`,
      {
        hint: `Keep others out: chmod 600 ${shellWord(file)}.`,
      },
    )
  }
  const text = await readSmall(path, context)
  const token = text instanceof Unreadable ? '' : text.trim()
  if (!/^[\x21-\x7e]+$/.test(token) || token.length < shortestToken) {
    throw new Fault(
      'invalid_input',
      `${file} has no token: at least ${shortestToken} visible characters`,
      {
        hint: 'Remove it, and premath makes a new one.',
      },
    )
  }
  return token
}
