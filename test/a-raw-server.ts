/** Servers that send the bytes of a test, each on a free port of this machine. They end with each test. */
import { createServer, type Socket } from 'node:net'
import { afterEach } from 'vitest'
import { listening } from './an-http-server.ts'

export type RawAnswer = (socket: Socket, count: number) => void

export function rawServers() {
  const closers: (() => void)[] = []
  afterEach(() => {
    for (const close of closers.splice(0)) close()
  })

  /** A server that answers each request in this way. */
  async function raw(answer: RawAnswer) {
    const sockets = new Set<Socket>()
    let count = 0
    const server = createServer(socket => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('data', () => answer(socket, ++count))
    })
    closers.push(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    const url = `http://127.0.0.1:${await listening(server)}/`
    return { url, sockets, requests: () => count }
  }

  return { raw }
}

export const head = (...lines: readonly string[]) =>
  ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')

/** Sends without end, as fast as the client reads. */
export function endless(socket: Socket, bytes: Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', more)
  more()
}
