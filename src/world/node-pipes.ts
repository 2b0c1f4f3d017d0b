/**
 * Pipes, as a shell makes them. Node gives a command sockets instead, and a socket cannot be opened
 * again under the name `/dev/stderr`, which scripts do.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { Fault } from '../fault.ts'
import { reason } from './system-error.ts'
import { inTemporaryFolder } from './temporary-folder.ts'

export interface Pipe {
  readonly reader: number
  readonly writer: number
}

/** Made by another program, so many at a time. */
const madeAtOnce = 16
const names = Array.from({ length: madeAtOnce }, (_, number) => String(number))

const spare: Pipe[] = []

export function takePipe(): Pipe {
  if (spare.length === 0) spare.push(...madePipes())
  const pipe = spare.pop()
  if (!pipe) throw new Error('pipes were made and are gone')
  return pipe
}

export function closePipe({ reader, writer }: Pipe): void {
  closeSync(reader)
  closeSync(writer)
}

/** They have names only until both ends are open. */
function madePipes(): Pipe[] {
  return inTemporaryFolder(folder => {
    const { status, stderr, error } = spawnSync('mkfifo', names, { cwd: folder, encoding: 'utf8' })
    if (error || status !== 0) {
      const why = error ? reason(error) : stderr.trim()
      throw new Fault('unavailable', `could not make a pipe with mkfifo: ${why}`)
    }
    return names.map(name => opened(join(folder, name)))
  })
}

function opened(path: string): Pipe {
  // Without waiting for a writer, who in turn waits until there is a reader.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, constants.O_WRONLY) }
}
