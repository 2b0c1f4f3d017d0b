import { createServer, type Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { Fault } from '../fault.ts'
import { codeOf, reason } from './system-error.ts'
import type { WebServer, WebService } from './world.ts'

/** One page with its script, style and events takes four connections. */
const connectionsMax = 256
const headerBytesMax = 16 * 1024
/** A client that sends its request more slowly is cut off. */
const requestMsMax = 10_000
/** A connection on which nothing moves. Streams of events send something more often. */
const idleMsMax = 60_000

export async function serve({ host, port, answer }: WebService): Promise<WebServer> {
  const server = createAdaptorServer({
    fetch: request => answer(request),
    createServer,
    overrideGlobalObjects: false,
    serverOptions: {
      maxHeaderSize: headerBytesMax,
      headersTimeout: requestMsMax,
      requestTimeout: requestMsMax,
      keepAliveTimeout: 5_000,
      connectionsCheckingInterval: 2_000,
    },
  }) as Server
  server.maxConnections = connectionsMax
  server.setTimeout(idleMsMax)
  await listening(server, host, port)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(listenFault(error, host, port)))
    server.listen({ host, port, exclusive: true }, resolve)
  })
}

function listenFault(error: unknown, host: string, port: number): Fault {
  const code = codeOf(error)
  const detail = { host, port, code }
  const options = { detail, cause: error }
  if (code === 'EADDRINUSE') {
    return new Fault('unavailable', `port ${port} of ${host} is in use`, {
      ...options,
      hint: 'Stop the program that listens there, or name another port. Port 0 chooses a free one.',
    })
  }
  return new Fault('unavailable', `cannot listen on port ${port} of ${host}: ${reason(error)}`, {
    ...options,
    hint: 'Name an address of this machine and a port above 1023, such as 127.0.0.1:43174.',
  })
}
