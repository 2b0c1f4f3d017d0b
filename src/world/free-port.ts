import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { Fault } from '../fault.ts'

/** Below the ports that systems give to outgoing connections, which would take one at any time. */
const first = 20_000
const end = 32_768
const attemptsMax = 100

/** Chosen at random, so that programs that ask at the same time get different ports. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const port = randomInt(first, end)
    if (await isFree(port)) return port
  }
  throw new Fault('unavailable', `no port from ${first} to ${end - 1} is free`, {
    hint: 'Stop programs that listen on many ports, and run again.',
  })
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true))
    })
  })
}
