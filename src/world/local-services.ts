/** Services at Unix sockets. Folder and socket belong to the user alone, so a peer is the same user. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { isAbsolute, join } from 'node:path'
import { Fault } from '../fault.ts'
import { codeOf, reason, shown } from './system-error.ts'
import type { LocalServices, RunningService, ServiceOptions, ServiceReply } from './world.ts'

const ownerOnly = 0o700
const ownerOnlyFile = 0o600
const othersBits = 0o077
const lineFeed = 0x0a

/** The system cuts longer paths of sockets off. */
const socketPathBytesMax = 103

export const localServices: LocalServices = {
  folder(env) {
    const user = process.getuid?.()
    // Windows has no such folder and no such sockets.
    if (user === undefined) return undefined
    const { XDG_RUNTIME_DIR: runtime = '', TMPDIR: temporary = '' } = env
    // `sudo` and `su` may leave the variable of the other user.
    const folder =
      isAbsolute(runtime) && isOwnFolder(runtime, user)
        ? join(runtime, 'premath')
        : join(isAbsolute(temporary) ? temporary : '/tmp', `premath-${user}`)
    try {
      mkdirSync(folder, { mode: ownerOnly })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return undefined
    }
    return isOwnFolder(folder, user) ? folder : undefined
  },

  async serve(path, options) {
    mustFit(path)
    rmSync(path, { force: true })
    const open: Open = { sockets: new Set(), answering: new Set(), isClosing: false }
    // Half-open: a client may close its side before it reads the answer.
    const server = createServer({ allowHalfOpen: true }, socket => {
      open.sockets.add(socket.once('close', () => open.sockets.delete(socket)))
      void converse(socket, options, open)
    })
    server.maxConnections = options.connectionsMax
    await listen(server, path)
    return runningService(server, open, path)
  },

  ask: (path, line, timeoutMs) =>
    new Promise(resolve => {
      const pieces: Buffer[] = []
      const socket = connect(path)
      const settle = (reply: ServiceReply) => {
        clearTimeout(timer)
        socket.destroy()
        resolve(reply)
      }
      const timer = setTimeout(() => settle({ failed: 'timeout' }), timeoutMs)
      socket.on('error', error => settle({ failed: isAbsent(error) ? 'absent' : 'closed' }))
      socket.on('close', () => settle({ failed: 'closed' }))
      socket.on('data', piece => {
        pieces.push(piece)
        if (piece.at(-1) !== lineFeed) return
        settle({ line: Buffer.concat(pieces).toString('utf8').slice(0, -1) })
      })
      socket.write(`${line}\n`)
    }),

  launch([program, ...args], env) {
    const child = spawn(program, args, { cwd: '/', env, detached: true, stdio: 'ignore' })
    // The caller does without the service.
    child.on('error', () => {})
    child.unref()
  },
}

/** The connections of a service. */
interface Open {
  readonly sockets: Set<Socket>
  /** Those whose client waits for an answer. */
  readonly answering: Set<Socket>
  isClosing: boolean
}

/** The time that answers have when the service closes. */
const closeMsMax = 500

function isOwnFolder(path: string, user: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return Boolean(found?.isDirectory() && found.uid === user && (found.mode & othersBits) === 0)
}

function mustFit(path: string): void {
  if (Buffer.byteLength(path) <= socketPathBytesMax) return
  throw new Fault('unavailable', `the path of the socket is too long: ${shown(path)}`, {
    hint: `Let XDG_RUNTIME_DIR or TMPDIR name a folder with a shorter path. The system takes ${socketPathBytesMax} bytes.`,
  })
}

/** The folder keeps other users out before the mode is set. */
async function listen(server: Server, path: string): Promise<void> {
  try {
    server.listen(path)
    await once(server, 'listening')
    chmodSync(path, ownerOnlyFile)
  } catch (error) {
    throw new Fault('unavailable', `could not listen at ${shown(path)}: ${reason(error)}`, {
      hint: 'Nothing depends on this service. Check the folder of the socket.',
      cause: error,
    })
  }
}

function runningService(server: Server, open: Open, path: string): RunningService {
  const inodeAt = () => statSync(path, { throwIfNoEntry: false })?.ino
  const inode = inodeAt()
  return {
    isReachable: () => inodeAt() === inode,
    async close() {
      open.isClosing = true
      const closed = once(server, 'close')
      // Node removes the socket here.
      server.close()
      for (const socket of open.sockets) if (!open.answering.has(socket)) socket.destroySoon()
      const timer = setTimeout(() => {
        for (const socket of open.sockets) socket.destroy()
      }, closeMsMax)
      await closed
      clearTimeout(timer)
    },
  }
}

/** Answers the lines of one connection, one after the other, as fast as the peer reads. */
async function converse(socket: Socket, options: ServiceOptions, open: Open): Promise<void> {
  const { answer, lineBytesMax, silentMsMax } = options
  socket.setTimeout(silentMsMax, () => socket.destroy())
  // A peer that vanishes is no error of ours: the loop below ends.
  socket.on('error', () => {})
  let held: Buffer[] = []
  let heldBytes = 0
  try {
    for await (const piece of socket as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = piece.indexOf(lineFeed); at >= 0; at = piece.indexOf(lineFeed, from)) {
        held.push(piece.subarray(from, at))
        const line = Buffer.concat(held)
        from = at + 1
        ;[held, heldBytes] = [[], 0]
        if (line.length > lineBytesMax) return
        open.answering.add(socket)
        const reply = await answer(line.toString('utf8'))
        open.answering.delete(socket)
        if (reply === undefined || socket.destroyed) return
        if (!socket.write(`${reply}\n`)) await drained(socket)
        if (open.isClosing) return socket.destroySoon()
      }
      held.push(piece.subarray(from))
      heldBytes += piece.length - from
      if (heldBytes > lineBytesMax) return
    }
    socket.end()
  } catch (error) {
    if (!isLost(error)) throw error
  }
}

/** A peer that does not read is closed by the time-out. */
const drained = (socket: Socket) =>
  new Promise<void>(resolve => {
    socket.once('drain', resolve)
    socket.once('close', () => resolve())
  })

const isAbsent = (error: Error) => ['ENOENT', 'ECONNREFUSED'].includes(codeOf(error))

const lostCodes = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED']

const isLost = (error: unknown) => lostCodes.includes(codeOf(error))
