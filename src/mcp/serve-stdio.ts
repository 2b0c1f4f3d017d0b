/** Serves one client over the standard streams of this process. */
import { stdin, stdout } from 'node:process'
import type { JSONRPCMessage, McpServerFactory } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Serving } from './serving.ts'

/** A longer message ends the connection. */
const messageBytesMax = 8 * 1024 * 1024

/** While so many answers are not read, no more requests are read. */
const unreadMax = 64

class StandardStreams extends StdioServerTransport {
  readonly ended: Promise<void>
  #end: () => void = () => {}
  #unread = 0

  constructor() {
    super(stdin, stdout, { maxBufferSize: messageBytesMax })
    this.ended = new Promise(settle => {
      this.#end = settle
    })
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    if (++this.#unread >= unreadMax) stdin.pause()
    try {
      await super.send(message)
    } finally {
      if (--this.#unread < unreadMax && stdin.isPaused()) stdin.resume()
    }
  }

  override async close(): Promise<void> {
    await super.close()
    this.#end()
  }
}

export function serveStandardStreams(
  factory: McpServerFactory,
  onerror: (error: Error) => void,
): Serving {
  const transport = new StandardStreams()
  const handle = serveStdio(factory, { transport, onerror })
  return { ended: transport.ended, close: () => handle.close() }
}
