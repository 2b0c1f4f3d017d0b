import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('a free port can be listened on, and is not given out while somebody listens', async () => {
  const port = await freePort()
  const server = createServer()
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  const others = await Promise.all(Array.from({ length: 200 }, freePort))
  server.close()
  expect(others).not.toContain(port)
  expect(others.every(one => one >= 20_000 && one < 32_768)).toBe(true)
})
