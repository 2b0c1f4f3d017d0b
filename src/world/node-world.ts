import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../fault.ts'
import { codeOf, reason, shown } from './system-error.ts'
import type { Clock, Disk, Files, FolderEntry, Output, World } from './world.ts'

// Calls are synchronous and `process.stdin` and `process.stdout` are left alone: setting up
// Node's streams takes longer than most commands take to run, and one command at a time has
// nothing else to do while it waits.

const standardInput = 0
const standardOutput = 1
const standardError = 2

const chunkBytesMax = 64 * 1024
const busyRetryMs = 5

export function nodeWorld(): World {
  // Asked for file by file, and Node looks for a module each time.
  let disk: Promise<Disk> | undefined
  // Whoever began at a terminal is not another one when it is closed.
  let isAtTerminal: boolean | undefined
  return {
    files: nodeFiles,
    input: readChunks(standardInput, 'standard input'),
    isAtTerminal: () => {
      isAtTerminal ??= isTerminal(standardInput)
      return isAtTerminal
    },
    out: output(standardOutput, 'standard output'),
    err: output(standardError, 'standard error'),
    env: process.env,
    clock: nodeClock,
    disk: () => {
      disk ??= import('./node-disk.ts').then(({ nodeDisk }) => nodeDisk)
      return disk
    },
    processes: () => import('./node-processes.ts').then(({ nodeProcesses }) => nodeProcesses),
    watch: listener =>
      import('./node-watch.ts').then(({ NodeWatching }) => new NodeWatching(listener)),
    signing: () => import('./node-signing.ts').then(({ nodeSigning }) => nodeSigning),
    cwd: workingFolder,
    packageFolder,
    nodePath: () => process.execPath,
    cores: () => process.getBuiltinModule('node:os').availableParallelism(),
    sha256,
    random: () => process.getBuiltinModule('node:crypto').randomBytes(8).toString('hex'),
  }
}

function workingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw new Fault('unavailable', `the working folder is gone: ${reason(error)}`, { cause: error })
  }
}

/** Found by its manifest: this code runs from the source tree and from bundles of other depths. */
function packageFolder(): string {
  const own = import.meta.dirname
  let folder = own
  while (!existsSync(`${folder}/package.json`)) {
    const above = dirname(folder)
    if (above === folder) throw new Fault('unavailable', `no package.json is above ${own}`)
    folder = above
  }
  return folder
}

let hash: typeof import('node:crypto').hash | undefined

/** `node:crypto` is loaded with the first hash: it takes a tenth of a bare start. */
function sha256(text: string): string {
  hash ??= process.getBuiltinModule('node:crypto').hash
  return hash('sha256', text, 'hex')
}

const nanosPerMilli = 1_000_000n

let milli = 0
let milliBegan = 0n

const timerMsMax = 2 ** 31 - 1

const nodeClock: Clock = {
  /** The date to the millisecond, and within one what the steady clock has counted since. */
  now() {
    const date = Date.now()
    const steady = process.hrtime.bigint()
    if (date !== milli) {
      milli = date
      milliBegan = steady
    }
    const within = steady - milliBegan
    return BigInt(date) * nanosPerMilli + (within < nanosPerMilli ? within : nanosPerMilli - 1n)
  },

  /** By the steady clock: a timer may ring a little early, and cannot be set for months. */
  async sleep(ms) {
    const began = process.hrtime.bigint()
    const leftMs = () => ms - Number(process.hrtime.bigint() - began) / Number(nanosPerMilli)
    for (let left = ms; left > 0; left = leftMs()) {
      await new Promise(resolve => setTimeout(resolve, Math.min(Math.ceil(left), timerMsMax)))
    }
  },
}

/** A pipe that somebody put in the place of a file is read as an empty one. Files know no waiting. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK

function contentOf(file: number): Uint8Array {
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

const nodeFiles: Files = {
  async read(path) {
    return ofFile(path, () => readFileSync(path))
  },

  async readIfPresent(path) {
    return ofFile(path, () => {
      try {
        return contentOf(openSync(path, withoutWaiting))
      } catch (error) {
        if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
        throw error
      }
    })
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
    return ofFile(path, () => {
      try {
        const found = statSync(path, { throwIfNoEntry: false })
        return found && (found.isDirectory() ? 'folder' : 'file')
      } catch (error) {
        if (codeOf(error) === 'ENOTDIR') return undefined
        throw error
      }
    })
  },
}

function entryOf(entry: { name: string; isDirectory(): boolean }): FolderEntry {
  return { name: entry.name, isFolder: entry.isDirectory() }
}

async function* readChunks(file: number, name: string): AsyncIterable<Uint8Array> {
  // One buffer for all of them: memory outside the heap is slow to come back.
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

function output(file: number, name: string): Output {
  let isOne: boolean | undefined
  // A descriptor stays what it is; a run asks with each line that it writes.
  const isTerminalHere = () => {
    isOne ??= isTerminal(file)
    return isOne
  }
  // One of the two may be a terminal and the other a file.
  const terminal = () => (file === standardError ? process.stderr : process.stdout)
  const write = (text: string) => writeAll(file, name, encoded(text))
  return {
    write,
    async behind() {
      if (!mayStall(file)) return undefined
      const { NodeBehindOutput } = await import('./node-behind.ts')
      return new NodeBehindOutput(file, { name, write })
    },
    isTerminal: isTerminalHere,
    columns: () => (isTerminalHere() ? terminal().columns : undefined),
    rows: () => (isTerminalHere() ? terminal().rows : undefined),
  }
}

/**
 * Asking `node:tty` loads the network stack, which takes as long as judging a turn does; most
 * output goes to a pipe, to a file or to nobody.
 */
const isTerminal = (file: number) =>
  mayBeTerminal(file) && process.getBuiltinModule('node:tty').isatty(file)

const encodedBytesMax = 512 * 1024
let encoder: Buffer | undefined

/** The text's bytes, good until the next text: a stream of long ones keeps one buffer busy. */
function encoded(text: string): Uint8Array {
  if (text.length < chunkBytesMax || 3 * text.length > encodedBytesMax) return Buffer.from(text)
  encoder ??= Buffer.allocUnsafeSlow(encodedBytesMax)
  return encoder.subarray(0, encoder.write(text))
}

/** A file takes what it is given; whoever reads a pipe or a terminal may stop doing so. */
function mayStall(file: number): boolean {
  return mayBeTerminal(file) || isPipe(file)
}

function isPipe(file: number): boolean {
  const found = fstatSync(file)
  return found.isFIFO() || found.isSocket()
}

function mayBeTerminal(file: number): boolean {
  try {
    const found = fstatSync(file)
    if (!found.isCharacterDevice()) return false
    return found.rdev !== statSync('/dev/null', { throwIfNoEntry: false })?.rdev
  } catch {
    return false
  }
}

function writeAll(file: number, name: string, bytes: Uint8Array): boolean {
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(file, bytes, written)
    } catch (error) {
      const code = codeOf(error)
      if (code === 'EPIPE') return false
      if (code !== 'EAGAIN') throw writeFault(name, error)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyRetryMs)
    }
  }
  return true
}

/** Errors that say the path was wrong; any other says the machine failed. */
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

function writeFault(name: string, error: unknown): Fault {
  return new Fault('unavailable', `could not write ${name}: ${reason(error)}`, {
    hint: 'what was printed before this is not the whole answer',
    detail: { code: codeOf(error) },
    cause: error,
  })
}
