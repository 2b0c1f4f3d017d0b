/**
 * Pipes, as a shell makes them. Node gives a command sockets instead, and a socket cannot be opened
 * again under the name `/dev/stderr`, which scripts do.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../fault.ts'
import { codeOf, reason } from './system-error.ts'
import { inTemporaryFolder } from './temporary-folder.ts'

export interface Pipe {
  readonly reader: number
  readonly writer: number
  /** Keeps the pipe when both ends are closed; `undefined` where that cannot be. */
  readonly keeper: number | undefined
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

/** Unused: nobody was given an end of it. */
export function closePipe(pipe: Pipe): void {
  closeSync(pipe.reader)
  closeSync(pipe.writer)
  keepIfFree(pipe)
}

/**
 * Afterwards, when both ends are closed here. A pipe that nobody writes to any more is used again;
 * what a process that left its group still writes must not be taken for another one's output.
 */
export function keepIfFree({ keeper }: Pick<Pipe, 'keeper'>): void {
  if (keeper === undefined) return
  if (spare.length < madeAtOnce && isFree(keeper)) spare.push(reopened(keeper))
  else closeSync(keeper)
}

const drained = Buffer.allocUnsafe(64 * 1024)

/** At its end when nobody writes; what is left in it was for the last reader. */
function isFree(keeper: number): boolean {
  try {
    while (readSync(keeper, drained) > 0);
    return true
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return false
    throw error
  }
}

function reopened(keeper: number): Pipe {
  return { ...opened(`/proc/self/fd/${keeper}`), keeper }
}

/** They have names only until both ends are open. */
function madePipes(): Pipe[] {
  return inTemporaryFolder(folder => {
    const { status, stderr, error } = spawnSync('mkfifo', names, { cwd: folder, encoding: 'utf8' })
    if (error || status !== 0) {
      const why = error ? reason(error) : stderr.trim()
      throw new Fault('unavailable', `could not make a pipe with mkfifo: ${why}`)
    }
    return names.map(name => {
      const path = join(folder, name)
      const keeper = isReopened ? openSync(path, reading) : undefined
      return { ...opened(path), keeper }
    })
  })
}

// Without waiting for a writer, who in turn waits until there is a reader.
const reading = constants.O_RDONLY | constants.O_NONBLOCK

function opened(path: string): Omit<Pipe, 'keeper'> {
  const reader = openSync(path, reading)
  return { reader, writer: openSync(path, constants.O_WRONLY) }
}
