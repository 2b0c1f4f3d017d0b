/**
 * Pipes for the output of commands. Node gives a child process sockets instead, and a script that
 * writes to `/dev/stderr` by name fails on a socket.
 */
import { spawnSync } from 'node:child_process'
import { constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../fault.ts'
import { codeOf, reason, scarcityHints } from './system-error.ts'
import { inTemporaryFolder } from './temporary-folder.ts'

export interface Pipe {
  /** Does not block. */
  readonly reader: number
  readonly writer: number
}

/** `mkfifo` takes as long as a small command, so each call makes the pipes for eight commands. */
const names = Array.from({ length: 16 }, (_, number) => String(number))

const spare: Pipe[] = []

/** A new pipe. The caller closes both ends. */
export function takePipe(): Pipe {
  if (spare.length === 0) inTemporaryFolder(makePipes)
  const pipe = spare.pop()
  if (!pipe) throw new Error('mkfifo made no pipe')
  return pipe
}

/** The pipes lose their names as soon as they are open. */
function makePipes(folder: string): void {
  const { status, stderr, error } = spawnSync('mkfifo', names, { cwd: folder, encoding: 'utf8' })
  if (error || status !== 0) {
    const why = error ? reason(error) : stderr.trim()
    throw new Fault('unavailable', `could not make a pipe with mkfifo: ${why}`, {
      hint: scarcityHints[codeOf(error)] ?? 'Check that mkfifo is on the PATH, and run again.',
    })
  }
  for (const name of names) {
    const path = join(folder, name)
    // The reader comes first: opening a writer waits for a reader.
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    spare.push({ reader, writer: openSync(path, constants.O_WRONLY) })
  }
}
