import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { localServices } from './local-services.ts'
import type { RunningService, ServiceOptions } from './world.ts'

const folders = mkdtempSync(join(tmpdir(), 'premath-services-'))
const user = process.getuid?.() ?? 0
let folder = ''
let services: RunningService[] = []

beforeEach(() => {
  folder = mkdtempSync(join(folders, 'f'))
})
afterEach(async () => {
  for (const service of services) await service.close()
  services = []
})
afterAll(() => rmSync(folders, { recursive: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

describe('the folder for sockets', () => {
  test('[resident.4.private] lies in the runtime folder and is for its owner alone', () => {
    chmodSync(folder, 0o700)
    const found = localServices.folder({ XDG_RUNTIME_DIR: folder, TMPDIR: '/nowhere' })
    expect(found).toBe(join(folder, 'premath'))
    expect(modeOf(found ?? '')).toBe(0o700)
    expect(localServices.folder({ XDG_RUNTIME_DIR: folder })).toBe(found)
  })

  test.each<[string, (runtime: string) => void]>([
    ['is missing', runtime => rmSync(runtime, { recursive: true })],
    ['others can enter', runtime => chmodSync(runtime, 0o755)],
  ])('lies in the temporary folder if the runtime folder %s', (_why, change) => {
    const runtime = join(folder, 'run')
    mkdirSync(runtime, { mode: 0o700 })
    change(runtime)
    const found = localServices.folder({ XDG_RUNTIME_DIR: runtime, TMPDIR: folder })
    expect(found).toBe(join(folder, `premath-${user}`))
    expect(modeOf(found ?? '')).toBe(0o700)
  })

  test.each<[string, (path: string) => void]>([
    ['others can enter it', path => mkdirSync(path, { mode: 0o755 })],
    ['it is a link', path => symlinkSync(mkdtempSync(join(folders, 'to')), path)],
    ['it is a file', path => writeFileSync(path, '')],
  ])('[resident.4.private] is refused if %s', (_why, make) => {
    make(join(folder, `premath-${user}`))
    expect(localServices.folder({ TMPDIR: folder })).toBeUndefined()
  })

  test.runIf(user === 0)('[resident.4.private] is refused if it belongs to another user', () => {
    const path = join(folder, `premath-${user}`)
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, 65_534, 65_534)
    expect(localServices.folder({ TMPDIR: folder })).toBeUndefined()
  })

  test('is refused if it cannot be made', () => {
    expect(localServices.folder({ TMPDIR: join(folder, 'missing') })).toBeUndefined()
  })
})

const defaults: ServiceOptions = {
  answer: async line => `you said ${line}`,
  lineBytesMax: 1000,
  connectionsMax: 8,
  silentMsMax: 60_000,
}

async function serving(more: Partial<ServiceOptions> = {}) {
  const path = join(folder, 'a.sock')
  const service = await localServices.serve(path, { ...defaults, ...more })
  services.push(service)
  return { path, service }
}

const ask = (path: string, line: string) => localServices.ask(path, line, 60_000)

/** Sends bytes as they are, and returns what came until the service closed the connection. */
async function sent(path: string, ...pieces: readonly string[]): Promise<string> {
  const socket = connect(path)
  let text = ''
  socket.on('data', piece => {
    text += piece
  })
  // A service that closes while we write resets the connection.
  socket.on('error', () => {})
  for (const piece of pieces) socket.write(piece)
  socket.end()
  await once(socket, 'close')
  return text
}

describe('a service', () => {
  test('[resident.4.private] has a socket that only its owner may use', async () => {
    const before = process.umask(0)
    try {
      const { path } = await serving()
      expect(modeOf(path)).toBe(0o600)
    } finally {
      process.umask(before)
    }
  })

  test('answers each line of each connection, also in pieces and several at once', async () => {
    const { path } = await serving()
    expect(await ask(path, 'ä')).toEqual({ line: 'you said ä' })
    expect(await sent(path, 'o', 'ne\ntw', 'o\nthree\n')).toBe(
      'you said one\nyou said two\nyou said three\n',
    )
  })

  test('answers a client that closed its side, and ignores half a line', async () => {
    const { path } = await serving()
    expect(await sent(path, 'one\nhal')).toBe('you said one\n')
    expect(await ask(path, 'still there')).toEqual({ line: 'you said still there' })
  })

  test('closes a connection with a line that is too long, and serves others', async () => {
    const { path } = await serving()
    expect(await sent(path, `${'x'.repeat(1001)}\n`)).toBe('')
    expect(await sent(path, 'x'.repeat(5000))).toBe('')
    expect(await ask(path, 'x'.repeat(1000))).toEqual({ line: `you said ${'x'.repeat(1000)}` })
  })

  test('closes a connection that is silent in the middle of a line', async () => {
    const { path } = await serving({ silentMsMax: 30 })
    const socket = connect(path)
    socket.write('half')
    await once(socket.resume(), 'close')
    expect(await ask(path, 'x')).toEqual({ line: 'you said x' })
  })

  test('closes connections beyond the limit', async () => {
    const { path } = await serving({ connectionsMax: 2 })
    const idle = [connect(path), connect(path)]
    for (const socket of idle) await once(socket, 'connect')
    expect(await ask(path, 'x')).toEqual({ failed: 'closed' })
    for (const socket of idle) socket.destroy()
    await expect.poll(() => ask(path, 'x')).toEqual({ line: 'you said x' })
  })

  test('survives clients that flood it and vanish', async () => {
    let answered = 0
    const answer = async (line: string) => {
      answered++
      return line.repeat(100)
    }
    const { path } = await serving({ answer, connectionsMax: 100 })
    const vanish = async () => {
      const socket = connect(path)
      socket.on('error', () => {})
      socket.write('a flood\n'.repeat(2000))
      await once(socket, 'data')
      socket.destroy()
    }
    await Promise.all(Array.from({ length: 20 }, vanish))
    expect(await ask(path, 'x')).toEqual({ line: 'x'.repeat(100) })
    expect(answered).toBeGreaterThan(20)
  })

  test('closes the connection where it has no answer', async () => {
    const { path } = await serving({ answer: async () => undefined })
    expect(await ask(path, 'x')).toEqual({ failed: 'closed' })
  })

  test('replaces a socket that a killed process left', async () => {
    const { path } = await serving()
    const { path: same, service } = await serving()
    expect(same).toBe(path)
    expect(await ask(path, 'x')).toEqual({ line: 'you said x' })
    expect(service.isReachable()).toBe(true)
    expect(services[0]?.isReachable()).toBe(false)
  })

  test('is not reachable when its socket was removed', async () => {
    const { path, service } = await serving()
    rmSync(path)
    expect(service.isReachable()).toBe(false)
    expect(await ask(path, 'x')).toEqual({ failed: 'absent' })
  })

  test('leaves no socket behind', async () => {
    const { path, service } = await serving()
    await service.close()
    services = []
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined()
    expect(await ask(path, 'x')).toEqual({ failed: 'absent' })
  })

  test('cannot listen at a path that is too long', async () => {
    const path = join(folder, 'x'.repeat(100))
    await expect(localServices.serve(path, defaults)).rejects.toThrow('is too long')
  })

  test('that takes too long is given up', async () => {
    const { path } = await serving({ answer: () => new Promise(() => {}) })
    expect(await localServices.ask(path, 'x', 20)).toEqual({ failed: 'timeout' })
  })
})
