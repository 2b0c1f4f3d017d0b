import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
} from 'node:fs'
import { Fault } from '../fault.ts'
import { noFile } from './stat.ts'
import { codeOf, ifPresent, reason, shown } from './system-error.ts'
import type { Files, FolderEntry } from './world.ts'

const chunkBytesMax = 64 * 1024
const busyRetryMs = 5

/** Without this flag, opening a pipe waits for a writer. */
const nonBlocking = constants.O_RDONLY | constants.O_NONBLOCK

function contentOf(file: number, path: string): Uint8Array {
  try {
    // Without a writer a pipe would read as an empty file, and a device can be endless.
    const found = fstatSync(file)
    if (found.isFIFO() || found.isCharacterDevice()) throw noFile(path)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

export const nodeFiles: Files = {
  async read(path) {
    return ofFile(path, () => readFileSync(path))
  },

  async readIfPresent(path) {
    return ofFile(path, () => ifPresent(() => contentOf(openSync(path, nonBlocking), path)))
  },

  async *stream(path) {
    const file = ofFile(path, () => openSync(path, 'r'))
    try {
      yield* readChunks(file, shown(path))
    } finally {
      closeSync(file)
    }
  },

  async list(path) {
    const entries = ofFile(path, () => readdirSync(path, { withFileTypes: true }))
    return entries.map(entryOf).sort((a, b) => (a.name < b.name ? -1 : 1))
  },

  async kindOf(path) {
    const found = ofFile(path, () => ifPresent(() => statSync(path, { throwIfNoEntry: false })))
    return found && (found.isDirectory() ? 'folder' : 'file')
  },

  async isLink(path) {
    const found = ofFile(path, () => ifPresent(() => lstatSync(path, { throwIfNoEntry: false })))
    return found?.isSymbolicLink() ?? false
  },
}

function entryOf(entry: { name: string; isDirectory(): boolean }): FolderEntry {
  return { name: entry.name, isFolder: entry.isDirectory() }
}

/** A chunk is valid until the next one: all share a buffer, because Node frees buffers late. */
export async function* readChunks(file: number, name: string): AsyncIterable<Uint8Array> {
  const buffer = new Uint8Array(chunkBytesMax)
  while (true) {
    const length = await readSome(file, buffer, name)
    if (length === 0) return
    yield buffer.subarray(0, length)
  }
}

async function readSome(file: number, into: Uint8Array, name: string): Promise<number> {
  while (true) {
    try {
      return readSync(file, into)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw readFault(name, error)
      await new Promise(resolve => setTimeout(resolve, busyRetryMs))
    }
  }
}

/** Errors of the path, which is input. Any other error is a failure of the machine. */
const pathErrors: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: path => `there is no file or folder ${path}`,
  EISDIR: path => `${path} is a folder, not a file`,
  ENOTDIR: path => `${path} is not a folder`,
  EACCES: path => `no permission to read ${path}`,
  EPERM: path => `no permission to read ${path}`,
  ELOOP: path => `${path} is a symbolic link that leads back to itself`,
  ENAMETOOLONG: path => `the path ${path.slice(0, 60)}… is too long`,
  ERR_FS_FILE_TOO_LARGE: path => `${path} is too large to read at once`,
  ERR_INVALID_ARG_VALUE: path => `${path} is not a path`,
}

function ofFile<T>(path: string, call: () => T): T {
  try {
    return call()
  } catch (error) {
    if (error instanceof Fault) throw error
    throw readFault(shown(path), error)
  }
}

const pathHints: Readonly<Record<string, string>> = {
  ENOENT: 'Check the path; it is looked up from the folder you are in.',
  EISDIR: 'Name a file inside it.',
  ENOTDIR: 'Check the path: a file stands where a folder should be.',
  EACCES: 'Change its permissions, or run as a user who may read it.',
  EPERM: 'Change its permissions, or run as a user who may read it.',
}

function readFault(name: string, error: unknown): Fault {
  const code = codeOf(error)
  const message = pathErrors[code]
  return message
    ? new Fault('invalid_input', message(name), {
        hint: pathHints[code] ?? 'Give the path of a file that can be read.',
        detail: { path: name, code },
        cause: error,
      })
    : new Fault('unavailable', `could not read ${name}: ${reason(error)}`, {
        detail: { path: name, code },
        cause: error,
      })
}
