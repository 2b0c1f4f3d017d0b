import { createHash, type Hash } from 'node:crypto'
import { accessSync, closeSync, constants, existsSync, ftruncateSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { callSystem } from './system-error.ts'
import type { CommandOutput, CommandSpec } from './world.ts'
import { noFollow, writeAll } from './write-file.ts'

export interface OutputFile {
  append(bytes: Uint8Array): void
  cut(size: number): void
  close(): void
}

/** A write goes to the end of the file, also after a cut. */
const appendToEmpty =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND | noFollow

/**
 * Creates the file at the first output: most commands leave one output empty. Empties a file that
 * exists at once, and fails at once where no file can be made.
 */
export function openOutputFile(path: string): OutputFile {
  let file: number | undefined
  const open = () => openSync(path, appendToEmpty)
  const write = (change: (file: number) => void) =>
    callSystem('write', path, () => {
      file ??= open()
      change(file)
    })
  callSystem('write', path, () => {
    if (existsSync(path)) closeSync(open())
    else accessSync(dirname(path), constants.W_OK | constants.X_OK)
  })
  return {
    append: bytes => write(file => writeAll(file, bytes)),
    cut: size => write(file => ftruncateSync(file, size)),
    close() {
      if (file !== undefined) closeSync(file)
    },
  }
}

type Limits = Pick<CommandSpec, 'outputBytesMax' | 'tailBytesMax'>

const tailBytesDefault = 4 * 1024
/** How much of the end a truncated file keeps. */
const fileTailBytesMax = 64 * 1024
/** Longer than any line that says how much is missing. */
const gapLineBytesMax = 64
const lastLineBytesMax = 1024

const sha256OfNothing = createHash('sha256').digest('hex')

/**
 * One output of a command, in bounded memory. The file grows to its limit while the command runs, so
 * that a person can follow it. If there was more output, the end replaces the last part of the file
 * when the command has ended.
 */
export class KeptOutput {
  readonly #file: OutputFile | undefined
  readonly #fileBytesMax: number
  readonly #fileTailBytes: number
  readonly #tailBytes: number
  readonly #last: LastBytes
  /** Created at the first output, because most commands leave one output empty. */
  #hash: Hash | undefined
  #bytes = 0

  constructor(file: OutputFile | undefined, { outputBytesMax, tailBytesMax }: Limits) {
    this.#file = file
    this.#fileBytesMax = outputBytesMax
    this.#fileTailBytes = Math.min(fileTailBytesMax, Math.floor(outputBytesMax / 4))
    this.#tailBytes = tailBytesMax ?? tailBytesDefault
    this.#last = new LastBytes(Math.max(this.#tailBytes, this.#fileTailBytes, lastLineBytesMax))
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Keeps the chunk: the caller must not write to it again. */
  take(chunk: Uint8Array): void {
    this.#hash ??= createHash('sha256')
    this.#hash.update(chunk)
    this.#last.take(chunk)
    const room = this.#fileBytesMax - this.#bytes
    this.#bytes += chunk.length
    if (room > 0) this.#file?.append(chunk.subarray(0, room))
  }

  /** The last line so far that is not blank, ended or not. */
  lastLine(): string {
    const lines = textOf(this.#last.end(lastLineBytesMax)).split(/[\r\n]+/)
    return lines.findLast(line => line.trim() !== '') ?? ''
  }

  /** Completes the file. No output may follow. */
  end(): CommandOutput {
    return {
      bytes: this.#bytes,
      sha256: this.#hash?.digest('hex') ?? sha256OfNothing,
      ...this.#fitFile(),
      tail: textOf(this.#last.end(this.#tailBytes)),
    }
  }

  close(): void {
    this.#file?.close()
  }

  #fitFile(): { keptBytes: number; truncated: boolean } {
    if (!this.#file) return { keptBytes: 0, truncated: false }
    if (this.#bytes <= this.#fileBytesMax) return { keptBytes: this.#bytes, truncated: false }
    const tail = this.#last.end(this.#fileTailBytes)
    const head = Math.max(0, this.#fileBytesMax - tail.length - gapLineBytesMax)
    const keptBytes = head + tail.length
    this.#file.cut(head)
    this.#file.append(Buffer.from(`\n[… ${this.#bytes - keptBytes} bytes are not kept …]\n`))
    this.#file.append(tail)
    return { keptBytes, truncated: true }
  }
}

/** Small chunks are joined up to this size: each chunk has a cost of its own. */
const joinedBytesMax = 4 * 1024

/** The last bytes of a stream: its last chunks, as many as are needed for `bytesMax`. */
class LastBytes {
  readonly #bytesMax: number
  #chunks: Uint8Array[] = []
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  take(chunk: Uint8Array): void {
    const last = this.#chunks.at(-1)
    if (last && last.length + chunk.length <= joinedBytesMax) {
      this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, chunk])
    } else {
      this.#chunks.push(chunk)
    }
    this.#bytes += chunk.length
    this.#dropFirst()
  }

  #dropFirst(): void {
    let dropped = 0
    for (const { length } of this.#chunks) {
      if (this.#bytes - length < this.#bytesMax) break
      this.#bytes -= length
      dropped++
    }
    this.#chunks.splice(0, dropped)
  }

  /** Up to `count` bytes. */
  end(count: number): Uint8Array {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for (let at = this.#chunks.length - 1; at >= 0 && bytes < count; at--) {
      const chunk = this.#chunks[at] ?? new Uint8Array()
      chunks.unshift(chunk)
      bytes += chunk.length
    }
    return Buffer.concat(chunks).subarray(Math.max(0, bytes - count))
  }
}

/** Leaves out the rest of a character whose first byte was cut off. */
function textOf(bytes: Uint8Array): string {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return Buffer.from(bytes.subarray(start)).toString('utf8')
}
