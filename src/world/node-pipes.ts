/**
 * Pipes, as a shell makes them. Node gives a command sockets instead, and a socket cannot be opened
 * again under the name `/dev/stderr`, which scripts do.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../fault.ts'
import { codeOf, reason, scarcityHints } from './system-error.ts'
import { inTemporaryFolder } from './temporary-folder.ts'

/** One that nobody has an end of but us. */
export interface Pipe {
  /** Reads without waiting, and keeps the pipe while nobody writes to it. */
  readonly reader: number
  /** Its other end, for a command; whoever asked closes it. */
  openWriter(): number
  /** The end that reads once more, for whoever closes it when done; `reader` itself where it must be. */
  openReader(): number
}

/** Made by another program, so many at a time. */
const madeAtOnce = 16
const names = Array.from({ length: madeAtOnce }, (_, number) => String(number))

/** Linux opens what is open already a second time, without a name. */
const isReopened = process.platform === 'linux'

const spare: Pipe[] = []

export function takePipe(): Pipe {
  if (spare.length === 0) spare.push(...madePipes())
  const pipe = spare.pop()
  if (!pipe) throw new Error('pipes were made and are gone')
  return pipe
}

/**
 * Afterwards. A pipe that nobody writes to any more is used again; what a process that left its
 * group still writes must not be taken for another one's output.
 */
export function giveBack(pipe: Pipe): void {
  if (!isReopened) return
  if (spare.length < madeAtOnce && readPipe(pipe, () => {}) === 'at its end') spare.push(pipe)
  else closeSync(pipe.reader)
}

/** What a command waits at until it is let through. */
export interface Gate {
  /** For the command; whoever asked closes it. */
  readonly entry: number
  /** Once. */
  open(): void
  /** When the command has ended. */
  close(): void
}

/** `undefined` where a pipe has one end of each kind, and both are ours. */
export function takeGate(): Gate | undefined {
  if (!isReopened) return undefined
  const pipe = takePipe()
  // Held until it is opened: without us there is nothing to read, and the command ends.
  let writer: number | undefined = pipe.openWriter()
  const shut = () => {
    if (writer !== undefined) closeSync(writer)
    writer = undefined
  }
  return {
    entry: openSync(`/proc/self/fd/${pipe.reader}`, constants.O_RDONLY),
    open() {
      if (writer !== undefined) writeSync(writer, '\n')
      shut()
    },
    close() {
      shut()
      giveBack(pipe)
    },
  }
}

const taken = Buffer.allocUnsafe(64 * 1024)

/** What is in it now, which is good until the next read. At its end nobody writes any more. */
export function readPipe(
  { reader }: Pipe,
  take: (bytes: Uint8Array) => void,
): 'at its end' | 'empty for now' {
  try {
    for (;;) {
      const bytes = readSync(reader, taken)
      if (bytes === 0) return 'at its end'
      take(taken.subarray(0, bytes))
    }
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return 'empty for now'
    throw error
  }
}

/** They have names only until they are open. */
function madePipes(): Pipe[] {
  return inTemporaryFolder(folder => {
    const { status, stderr, error } = spawnSync('mkfifo', names, { cwd: folder, encoding: 'utf8' })
    if (error || status !== 0) {
      const why = error ? reason(error) : stderr.trim()
      throw new Fault('unavailable', `could not make a pipe with mkfifo: ${why}`, {
        hint: scarcityHints[codeOf(error)] ?? 'See that mkfifo is on the PATH, and run again.',
      })
    }
    return names.map(name => {
      const path = join(folder, name)
      const reader = openSync(path, reading)
      return isReopened ? reopenedPipe(reader) : pipeOnce(reader, openSync(path, writing))
    })
  })
}

// Without waiting for a writer, who in turn waits until there is a reader.
const reading = constants.O_RDONLY | constants.O_NONBLOCK
const writing = constants.O_WRONLY

function reopenedPipe(reader: number): Pipe {
  const again = `/proc/self/fd/${reader}`
  return {
    reader,
    openWriter: () => openSync(again, writing),
    openReader: () => openSync(again, reading),
  }
}

/** Where a pipe cannot be opened again, it is good for one command. */
const pipeOnce = (reader: number, writer: number): Pipe => ({
  reader,
  openWriter: () => writer,
  openReader: () => reader,
})
