/** HTTP servers of a test file, each on a free port of this machine. They end with each test. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Server as SocketServer } from 'node:net'
import { afterEach } from 'vitest'

interface Got {
  readonly request: IncomingMessage
  readonly body: string
}

export function httpServers() {
  const servers: Server[] = []
  afterEach(closeAll)

  function closeAll(): void {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  }

  /** The address of a new server, and the requests that it gets. */
  async function serving(listener: RequestListener) {
    const got: Got[] = []
    const server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        got.push({ request, body: Buffer.concat(chunks).toString() })
        listener(request, response)
      })
    })
    servers.push(server)
    return { url: `http://127.0.0.1:${await listening(server)}`, got }
  }

  return { serving, closeAll }
}

/** Starts a server on a free port and returns the port. */
export async function listening(server: SocketServer): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
