/** The event log as bytes, one event a line. */

import { Fault } from '../../fault.ts'
import type { IssueEvent } from '../../kernel/issues/events/issue-event.ts'
import { readEventLine } from '../../kernel/issues/events/issue-event-line.ts'
import { BadRow } from '../../kernel/issues/issue.ts'
import { decodedUtf8 } from '../../world/utf8.ts'
import type { DiskFile } from '../../world/world.ts'

interface LogLine {
  readonly text: string
  readonly event: IssueEvent
  readonly line: number
}

export interface LogEnd {
  /** An incomplete last line. Events are written without a sync, and the rows have the change. */
  readonly torn: string | undefined
  /** The size of the log without that line. */
  readonly bytes: number
  /** The last line is whole, and only its line feed is missing. */
  readonly unfinished: boolean
}

interface EventLines extends LogEnd {
  readonly lines: readonly LogLine[]
}

const lineFeed = 0x0a

export function readEventLines(bytes: Uint8Array, path: string): EventLines {
  const lines: LogLine[] = []
  const reader = new LinesReader(path, line => void lines.push(line))
  const end = bytes.lastIndexOf(lineFeed) + 1
  reader.readWhole(bytes.subarray(0, end))
  return { lines, ...reader.readTail(bytes.subarray(end)) }
}

/** Reads a log in pieces, because it grows with every change: only `take` keeps anything of it. */
export async function eachEventLine(
  file: Pick<DiskFile, 'stamp' | 'read'>,
  path: string,
  take: (line: LogLine) => void,
  pieceBytes = 1024 * 1024,
): Promise<LogEnd> {
  const { size } = await file.stamp()
  const reader = new LinesReader(path, take)
  for (let length = pieceBytes; ; ) {
    const from = reader.bytes
    const piece = await file.read(from, Math.min(length, size - from))
    const end = piece.lastIndexOf(lineFeed) + 1
    reader.readWhole(piece.subarray(0, end))
    const isLast = from + piece.length >= size || piece.length === 0
    if (isLast) return reader.readTail(piece.subarray(end))
    // A line is longer than a piece.
    length = end === 0 ? 2 * length : pieceBytes
  }
}

class LinesReader {
  readonly #path: string
  readonly #take: (line: LogLine) => void
  #lines = 0
  /** The end of the lines so far. */
  bytes = 0

  constructor(path: string, take: (line: LogLine) => void) {
    this.#path = path
    this.#take = take
  }

  /** Lines that have their line feeds. */
  readWhole(bytes: Uint8Array): void {
    const text = decodedUtf8(bytes)
    if (text === undefined) {
      throw badEvent(this.#path, this.#lines + firstForeign(bytes), 'bytes that are not UTF-8')
    }
    for (const line of text.split('\n').slice(0, -1)) {
      this.#lines++
      if (isSkipped(line)) continue
      const event = readLine(line, this.#lines, this.#path)
      if (event instanceof Fault) throw event
      this.#take({ text: line, event, line: this.#lines })
    }
    this.bytes += bytes.length
  }

  /** The bytes after the last line feed. */
  readTail(bytes: Uint8Array): LogEnd {
    const text = new TextDecoder().decode(bytes)
    const all = this.bytes + bytes.length
    if (isSkipped(text)) return { torn: undefined, bytes: all, unfinished: false }
    const line = this.#lines + 1
    const event = readLine(text, line, this.#path)
    if (event instanceof Fault) return { torn: text, bytes: this.bytes, unfinished: false }
    this.#take({ text, event, line })
    return { torn: undefined, bytes: all, unfinished: true }
  }
}

const isSkipped = (line: string) => line.startsWith('#') || line.trim() === ''

function readLine(text: string, line: number, path: string): IssueEvent | Fault {
  try {
    const event = readEventLine(text, line)
    return event instanceof BadRow ? badEvent(path, line, event.why) : event
  } catch (error) {
    if (error instanceof Fault) return badEvent(path, line, error.message)
    throw error
  }
}

/** The line of the first bytes that are not UTF-8. */
function firstForeign(bytes: Uint8Array): number {
  let line = 1
  for (let from = 0; from < bytes.length; line++) {
    const to = bytes.indexOf(lineFeed, from)
    if (decodedUtf8(bytes.subarray(from, to)) === undefined) return line
    from = to + 1
  }
  return line
}

export const badEvent = (path: string, line: number, why: string): Fault =>
  new Fault('corrupt', `event log ${path} cannot be trusted: line ${line}: ${why}`, {
    hint: 'Nothing was changed. premath issue migrate-events writes a new log from the rows.',
    detail: { path, line },
  })
