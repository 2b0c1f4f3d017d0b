import { createHash, type Hash } from 'node:crypto'
import type { CommandOutput, CommandSpec } from './world.ts'

/** Where output is kept: a file that grows, and can be cut. */
export interface OutputFile {
  append(bytes: Uint8Array): void
  cut(size: number): void
}

type Limits = Pick<CommandSpec, 'outputBytesMax' | 'tailBytesMax'>

const tailBytesDefault = 4 * 1024

const sha256OfNothing = createHash('sha256').digest('hex')

/** How much of the end is kept in a file that could not take everything. */
const fileTailBytesMax = 64 * 1024
/** Longer than any line that says how much is missing. */
const gapLineBytesMax = 64
/** Of the last line, for whoever watches. */
const lastLineBytesMax = 1024

/**
 * One output of a command, however much of it there is, in bounded memory. The file takes all it
 * may while the command runs, so that one can follow it; only at the end, when more came, does its
 * own end make room for the end of the output.
 */
export class KeptOutput {
  readonly #file: OutputFile | undefined
  readonly #fileBytesMax: number
  readonly #fileTailBytes: number
  readonly #tailBytes: number
  readonly #last: LastBytes
  /** Made when there is something to hash: most commands leave one output empty. */
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

  /** Finishes the file; nothing may come after. */
  end(): CommandOutput {
    return {
      bytes: this.#bytes,
      sha256: this.#hash?.digest('hex') ?? sha256OfNothing,
      ...this.#fitFile(),
      tail: textOf(this.#last.end(this.#tailBytes)),
    }
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

/** Most commands say little, and many may run at once. */
const firstRingBytes = 1024

/**
 * The last bytes of a stream, in a buffer that is written round and round once it is as large as
 * it may get.
 */
class LastBytes {
  readonly #sizeMax: number
  #ring: Buffer
  #taken = 0

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
    this.#ring = Buffer.allocUnsafe(Math.min(sizeMax, firstRingBytes))
  }

  take(chunk: Uint8Array): void {
    this.#makeRoom(this.#taken + chunk.length)
    const size = this.#ring.length
    const last = chunk.subarray(Math.max(0, chunk.length - size))
    const at = (this.#taken + chunk.length - last.length) % size
    const untilEdge = last.subarray(0, size - at)
    this.#ring.set(untilEdge, at)
    this.#ring.set(last.subarray(untilEdge.length), 0)
    this.#taken += chunk.length
  }

  /** As long as it may grow, nothing was written over, so all of it is in order. */
  #makeRoom(bytes: number): void {
    const size = this.#ring.length
    if (bytes <= size || size === this.#sizeMax) return
    const larger = Buffer.allocUnsafe(Math.min(this.#sizeMax, Math.max(bytes, 2 * size)))
    this.#ring.copy(larger, 0, 0, this.#taken)
    this.#ring = larger
  }

  /** Up to `count` of them, in order. */
  end(count: number): Uint8Array {
    const size = this.#ring.length
    const length = Math.min(count, size, this.#taken)
    const from = (this.#taken - length) % size
    const untilEdge = this.#ring.subarray(from, from + length)
    return Buffer.concat([untilEdge, this.#ring.subarray(0, length - untilEdge.length)])
  }
}

/** The bytes of a character whose start was cut off say nothing. */
function textOf(bytes: Uint8Array): string {
  let start = 0
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return Buffer.from(bytes.subarray(start)).toString('utf8')
}
