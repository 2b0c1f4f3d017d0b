/** Splits chunks of bytes into lines, in constant memory. */
import { Fault } from '../fault.ts'
import { joinedBytes } from '../world/joined-bytes.ts'
import { decodeUtf8 } from '../world/utf8.ts'

/** The longest line in bytes. A longer line is reported and skipped. */
export const lineBytesMax = 64 * 1024 * 1024

export interface Line {
  /** Counted from 1, blank lines included. */
  readonly number: number
  /** The text, or why there is none. */
  readonly text: string | Fault
}

const lineFeed = 0x0a

/** All lines in order, in one array per chunk, so that a line costs no await. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncIterable<readonly Line[]> {
  const cutter = new Cutter()
  for await (const chunk of chunks) {
    const lines = cutter.cut(chunk)
    if (lines.length > 0) yield lines
  }
  const last = cutter.end()
  if (last) yield [last]
}

class Cutter {
  #pending: Uint8Array[] = []
  #pendingBytes = 0
  #number = 0

  cut(chunk: Uint8Array): Line[] {
    const lines: Line[] = []
    let start = 0
    for (;;) {
      const end = chunk.indexOf(lineFeed, start)
      if (end === -1) break
      this.#keep(chunk.subarray(start, end))
      lines.push(this.#take())
      start = end + 1
    }
    // A copy, so that an unfinished line does not keep the whole chunk in memory.
    if (start < chunk.length) this.#keep(chunk.slice(start))
    return lines
  }

  end(): Line | undefined {
    return this.#pendingBytes > 0 ? this.#take() : undefined
  }

  #keep(piece: Uint8Array): void {
    this.#pendingBytes += piece.length
    if (this.#pendingBytes <= lineBytesMax) this.#pending.push(piece)
    else this.#pending = []
  }

  #take(): Line {
    const pieces = this.#pending
    const bytes = this.#pendingBytes
    this.#pending = []
    this.#pendingBytes = 0
    this.#number++
    return { number: this.#number, text: textOf(pieces, bytes, this.#number) }
  }
}

function textOf(pieces: readonly Uint8Array[], bytes: number, line: number): string | Fault {
  if (bytes > lineBytesMax) {
    return new Fault('invalid_input', `is ${bytes} bytes long; the most is ${lineBytesMax}`, {
      hint: 'Replace the long values by their digests.',
    })
  }
  try {
    return decodeUtf8(joinedBytes(pieces), line)
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
}
