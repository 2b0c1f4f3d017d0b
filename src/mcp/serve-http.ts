/**
 * Serves any number of clients over streamable HTTP. A request passes host, origin and token before
 * its body is read.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  type McpServerFactory,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { Fault } from '../fault.ts'
import type { Serving } from './serving.ts'

const path = '/mcp'
const bodyBytesMax = 4 * 1024 * 1024
const connectionsMax = 64
const subscriptionsMax = 64
/** For the headers of a request, and for the whole of it. A slow client is cut off. */
const headersMs = 10_000
const requestMs = 30_000

export interface HttpPlace {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** The names by which clients may reach it, besides those of this machine. */
  readonly allowedHosts: readonly string[]
  isToken(token: string): boolean
}

export async function serveHttp(
  factory: McpServerFactory,
  place: HttpPlace,
  onerror: (error: Error) => void,
): Promise<Serving & { readonly url: string }> {
  const handler = createMcpHandler(factory, {
    onerror,
    maxRequestBodySize: bodyBytesMax,
    maxSubscriptions: subscriptionsMax,
  })
  const answer = async (request: Request) =>
    refusal(request, place) ?? (await handler.fetch(request))
  const server = createServer(
    { headersTimeout: headersMs, requestTimeout: requestMs },
    getRequestListener(answer, { overrideGlobalObjects: false }),
  )
  server.maxConnections = connectionsMax
  const ended = new Promise<void>(settle => server.once('close', settle))
  const { port } = await listening(server, place)
  const name = place.host.includes(':') ? `[${place.host}]` : place.host
  return {
    url: `http://${name}:${port}${path}`,
    ended,
    async close() {
      await handler.close()
      server.close()
      server.closeAllConnections()
      await ended
    },
  }
}

function refusal(request: Request, { allowedHosts, isToken }: HttpPlace): Response | undefined {
  const names = [...localhostAllowedHostnames(), ...allowedHosts]
  const foreign =
    hostHeaderValidationResponse(request, names) ?? originValidationResponse(request, names)
  if (foreign) return foreign
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  if (token === undefined || !isToken(token)) {
    const error = 'the request has no valid token: send Authorization: Bearer <token>'
    return Response.json({ error }, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } })
  }
  const isElsewhere = new URL(request.url).pathname !== path
  return isElsewhere ? Response.json({ error: `serves ${path} only` }, { status: 404 }) : undefined
}

async function listening(server: Server, { host, port }: HttpPlace): Promise<AddressInfo> {
  await new Promise<void>((settle, fail) => {
    server.once('error', (error: NodeJS.ErrnoException) => fail(cannotListen(error, host, port)))
    server.listen({ host, port, exclusive: true }, settle)
  })
  return server.address() as AddressInfo
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Fault {
  const { code, message } = error
  const why = code === 'EADDRINUSE' ? `port ${port} of ${host} is in use` : message
  return new Fault('unavailable', `cannot listen on ${host}:${port}: ${why}`, {
    hint: `Stop the program that uses it, or let the system choose a port: --http ${host}:0.`,
    cause: error,
  })
}
