import { existsSync, fstatSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Fault } from '../fault.ts'
import { nodeFiles, readChunks } from './files.ts'
import { codeOf, reason } from './system-error.ts'
import type { Clock, Disk, Output, Processes, TextDigest, World } from './world.ts'

// Calls are synchronous, and `process.stdin` and `process.stdout` are not used: creating Node's
// streams takes longer than most commands, and a command has nothing else to do while it waits.

const standardInput = 0
const standardOutput = 1
const standardError = 2

const busyRetryMs = 5

export function nodeWorld(): World {
  // Kept, because each `import()` looks the module up again.
  let disk: Promise<Disk> | undefined
  let processes: Promise<Processes> | undefined
  // Kept, because the terminal may be closed while the command runs.
  let isAtTerminal: boolean | undefined
  return {
    files: nodeFiles,
    input: readChunks(standardInput, 'standard input'),
    isAtTerminal: () => {
      isAtTerminal ??= isTerminal(standardInput)
      return isAtTerminal
    },
    userId: () => process.getuid?.() ?? -1,
    out: output(standardOutput, 'standard output'),
    err: output(standardError, 'standard error'),
    env: process.env,
    clock: nodeClock,
    startTimer,
    disk: () => {
      disk ??= import('./node-disk.ts').then(({ nodeDisk }) => nodeDisk)
      return disk
    },
    processes: () => {
      processes ??= import('./node-processes.ts').then(({ nodeProcesses }) => nodeProcesses)
      return processes
    },
    ancestors: () => import('./proc.ts').then(({ ancestors }) => ancestors()),
    watch: listener =>
      import('./node-watch.ts').then(({ NodeWatching }) => new NodeWatching(listener)),
    signing: () => import('./node-signing.ts').then(({ nodeSigning }) => nodeSigning),
    http: () => import('./http/node-http.ts').then(({ NodeHttp }) => new NodeHttp()),
    services: () => import('./local-services.ts').then(({ localServices }) => localServices),
    serve: service => import('./node-serve.ts').then(({ serve }) => serve(service)),
    cwd: workingFolder,
    packageFolder,
    nodePath: () => process.execPath,
    freePort: () => import('./free-port.ts').then(({ freePort }) => freePort()),
    cores: () => process.getBuiltinModule('node:os').availableParallelism(),
    sha256,
    sha256InParts,
    random: () => process.getBuiltinModule('node:crypto').randomBytes(8).toString('hex'),
  }
}

function workingFolder(): string {
  return mustBeUtf8(currentFolder())
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw new Fault('unavailable', `the working folder is gone: ${reason(error)}`, { cause: error })
  }
}

/**
 * Node replaces bytes that are not UTF-8, so the path is that of another folder, and files would be
 * written there.
 */
function mustBeUtf8(folder: string): string {
  const isReplaced = () => statSync(folder, { throwIfNoEntry: false })?.ino !== statSync('.').ino
  if (!folder.includes('\uFFFD') || !isReplaced()) return folder
  throw new Fault('usage', `the path of the working folder is not UTF-8: ${folder}`, {
    hint: 'Nothing was changed. Rename the folder, or work in another one.',
    detail: { path: folder },
  })
}

/** The nearest folder with a package.json: sources and bundles lie at different depths below it. */
function packageFolder(): string {
  const own = import.meta.dirname
  let folder = own
  while (!existsSync(`${folder}/package.json`)) {
    const above = dirname(folder)
    if (above === folder) throw new Fault('unavailable', `there is no package.json above ${own}`)
    folder = above
  }
  return folder
}

let hash: typeof import('node:crypto').hash | undefined

/** `node:crypto` is loaded with the first hash: it takes a tenth of a bare start. */
function sha256(content: string | Uint8Array): string {
  hash ??= process.getBuiltinModule('node:crypto').hash
  return hash('sha256', content, 'hex')
}

function sha256InParts(): TextDigest {
  const digest = process.getBuiltinModule('node:crypto').createHash('sha256')
  return { add: part => void digest.update(part), end: () => digest.digest('hex') }
}

const nanosPerMilli = 1_000_000n

let milli = 0
let milliBegan = 0n

const timerMsMax = 2 ** 31 - 1

const microsPerMilli = 1000

/**
 * Asking the system for the processor time takes longer than most expressions do. One answer serves
 * the timers of a few milliseconds, and a time below the smallest budget needs none.
 */
const readingMsMax = 5
const budgetMsMin = 1
let reading = { takenMs: Number.NEGATIVE_INFINITY, used: { user: 0, system: 0 } }

function startTimer(): () => number {
  const began = performance.now()
  if (began - reading.takenMs > readingMsMax) {
    reading = { takenMs: began, used: process.cpuUsage() }
  }
  const { takenMs, used } = reading
  return () => {
    const wallMs = performance.now() - began
    if (wallMs < budgetMsMin) return wallMs
    const { user, system } = process.cpuUsage(used)
    // Counts too little rather than too much: the process may not have run since the answer.
    const ranMs = (user + system) / microsPerMilli - (began - takenMs)
    // Other threads of this process use the processor too, so it can exceed the time on the wall.
    return Math.max(0, Math.min(wallMs, ranMs))
  }
}

const nodeClock: Clock = {
  /** Milliseconds of the system clock, and nanoseconds of the monotonic clock within each. */
  now() {
    const date = Date.now()
    const monotonic = process.hrtime.bigint()
    if (date !== milli) {
      milli = date
      milliBegan = monotonic
    }
    const within = monotonic - milliBegan
    return BigInt(date) * nanosPerMilli + (within < nanosPerMilli ? within : nanosPerMilli - 1n)
  },

  steady: () => process.hrtime.bigint(),

  /** Measured by the monotonic clock: a timer may fire early, and takes at most 24 days. */
  async sleep(ms) {
    const began = process.hrtime.bigint()
    const leftMs = () => ms - Number(process.hrtime.bigint() - began) / Number(nanosPerMilli)
    for (let left = ms; left > 0; left = leftMs()) {
      await new Promise(resolve => setTimeout(resolve, Math.min(Math.ceil(left), timerMsMax)))
    }
  },
}

function output(file: number, name: string): Output {
  // Kept, because a run asks for each line that it writes.
  let known: boolean | undefined
  const isTerminalHere = () => {
    known ??= isTerminal(file)
    return known
  }
  const terminal = () => (file === standardError ? process.stderr : process.stdout)
  const write = (text: string) => writeAll(file, name, encoded(text))
  return {
    write,
    async threaded() {
      if (!mayBlock(file)) return undefined
      const { NodeThreadedOutput } = await import('./threaded-output.ts')
      return new NodeThreadedOutput(file, { name, write })
    },
    isTerminal: isTerminalHere,
    columns: () => (isTerminalHere() ? terminal().columns : undefined),
    rows: () => (isTerminalHere() ? terminal().rows : undefined),
  }
}

/** `node:tty` loads Node's network code, so it is asked only about a character device. */
const isTerminal = (file: number) =>
  mayBeTerminal(file) && process.getBuiltinModule('node:tty').isatty(file)

const longText = 64 * 1024
const encodedBytesMax = 512 * 1024
let encoder: Buffer | undefined

/** Valid until the next text: long texts share one buffer, because Node frees buffers late. */
function encoded(text: string): Uint8Array {
  if (text.length < longText || 3 * text.length > encodedBytesMax) return Buffer.from(text)
  encoder ??= Buffer.allocUnsafeSlow(encodedBytesMax)
  return encoder.subarray(0, encoder.write(text))
}

/** A write to a pipe or a terminal blocks when nobody reads. */
function mayBlock(file: number): boolean {
  const found = fstatSync(file)
  return mayBeTerminal(file) || found.isFIFO() || found.isSocket()
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

function writeFault(name: string, error: unknown): Fault {
  return new Fault('unavailable', `could not write ${name}: ${reason(error)}`, {
    hint: 'The output before this is incomplete.',
    detail: { code: codeOf(error) },
    cause: error,
  })
}
