/** Issue rows as bytes, one row a line: the format of the file backend, of import and of export. */

import { Fault } from '../fault.ts'
import { BadRow, type Issue, printIssue, readIssueLine } from '../kernel/issues/issue.ts'
import { decodedUtf8, isCutUtf8 } from '../world/utf8.ts'

/** A row and the position of its line in the file. */
export interface PlacedRow {
  readonly issue: Issue
  readonly at: number
  readonly bytes: number
  /** The number of its line, from 1. */
  readonly line: number
}

/** The end of the rows that were read. Bytes after it were never acknowledged. */
export interface RowsEnd {
  /** Bytes from the start of the file. */
  readonly bytes: number
  readonly lines: number
  /** The last row is whole, and only its line feed is missing. */
  readonly unfinished: boolean
}

export const rowsStart: RowsEnd = { bytes: 0, lines: 0, unfinished: false }

const lineFeed = 0x0a

/** The most bytes of a row. Every reader has to hold a row in memory. */
export const rowBytesMax = 8 * 1024 * 1024

/**
 * The comment before the rows of one change, with the number of their bytes: a reader, or the next
 * writer after a crash, takes all of them or none. Other tools skip comments.
 */
const batchMark = /^# premath:batch (\d+)$/

/** The bytes to append for one change, after a row that may lack its line feed. */
export function printRows(rows: readonly Issue[], lacksLineFeed = false): Uint8Array {
  const encoder = new TextEncoder()
  const text = rows.map(row => `${bounded(row)}\n`).join('')
  const before = lacksLineFeed ? '\n' : ''
  if (rows.length < 2) return encoder.encode(before + text)
  return encoder.encode(`${before}# premath:batch ${encoder.encode(text).length}\n${text}`)
}

/** Faults for a row that no reader would accept. */
function bounded(row: Issue): string {
  const line = printIssue(row)
  // A UTF-16 unit takes at most three bytes.
  if (line.length * 3 < rowBytesMax || utf8Length(line) < rowBytesMax) return line
  throw new Fault('invalid_input', `${row.id} would take ${utf8Length(line) + 1} bytes`, {
    hint: `At most ${rowBytesMax} fit into a row. Keep long texts in files, and name the files.`,
    detail: { id: row.id, rowBytesMax },
  })
}

const tooLong = (line: number, bytes: number) =>
  `line ${line} has ${bytes} bytes, and a row at most ${rowBytesMax}`

/** Lines are decoded many at a time, and few enough for the text to be collected early. */
const chunkBytesMax = 1024 * 1024

/**
 * Reads the rows in `bytes`, which follow `from` in the file. Faults as `corrupt` for a row that is not
 * valid, and stops before an incomplete end. `ahead` is the number of bytes that follow in the file.
 */
export function readRows(
  bytes: Uint8Array,
  from: RowsEnd,
  path: string,
  take: (row: PlacedRow) => void,
  ahead = 0,
): RowsEnd {
  const reader = new RowsReader(bytes, from, path, take, ahead)
  return reader.read()
}

class RowsReader {
  readonly #bytes: Uint8Array
  readonly #from: RowsEnd
  readonly #path: string
  readonly #take: (row: PlacedRow) => void
  readonly #ahead: number
  #at = 0
  #line: number

  constructor(
    bytes: Uint8Array,
    from: RowsEnd,
    path: string,
    take: (row: PlacedRow) => void,
    ahead: number,
  ) {
    this.#ahead = ahead
    this.#bytes = bytes
    this.#from = from
    this.#path = path
    this.#take = take
    this.#line = from.lines
  }

  read(): RowsEnd {
    const whole = this.#bytes.lastIndexOf(lineFeed) + 1
    while (this.#at < whole) {
      const before = this.#at
      this.#readChunk(whole)
      // A change of several rows is incomplete.
      if (this.#at === before) return this.#end(false)
    }
    return this.#readTail()
  }

  #end(unfinished: boolean): RowsEnd {
    return { bytes: this.#from.bytes + this.#at, lines: this.#line, unfinished }
  }

  /** Whole lines, up to a bounded number of bytes. */
  #readChunk(whole: number): void {
    const start = this.#at
    const most = Math.min(start + chunkBytesMax, whole)
    const end = most === whole ? whole : endOfLines(this.#bytes, start, most)
    const chunk = this.#bytes.subarray(start, end)
    if (chunk.includes(0)) throw this.#corrupted('a NUL byte', this.#lineOf(chunk, hasNul))
    const text = decodedUtf8(chunk)
    if (text === undefined) {
      throw this.#corrupted('bytes that are not UTF-8', this.#lineOf(chunk, isForeign))
    }
    const isAscii = text.length === chunk.length
    for (let from = 0; from < text.length; ) {
      const to = text.indexOf('\n', from)
      const line = text.slice(from, to)
      const bytes = (isAscii ? line.length : utf8Length(line)) + 1
      if (
        !this.#readLine(line, bytes, this.#ahead === 0 && end === whole && to + 1 === text.length)
      )
        return
      from = to + 1
    }
  }

  /** Returns whether to go on with the next line. */
  #readLine(line: string, bytes: number, isLast: boolean): boolean {
    const first = line.charCodeAt(0)
    if (first === 0x23) {
      const batch = batchMark.exec(line)
      const there = this.#bytes.length + this.#ahead
      if (batch && this.#at + bytes + Number(batch[1]) > there) return false
    } else if (first === 0x7b || line.trim() !== '') {
      const issue = readIssueLine(line)
      if (bytes > rowBytesMax) throw this.#corrupt(tooLong(this.#line + 1, bytes))
      if (issue instanceof BadRow) {
        if (isLast && isBrokenOff(line)) return false
        throw this.#corrupt(`line ${this.#line + 1}: ${issue.why}`)
      }
      const at = this.#from.bytes + this.#at
      this.#take({ issue, at, bytes: bytes - 1, line: this.#line + 1 })
    }
    this.#at += bytes
    this.#line++
    return true
  }

  /** The bytes after the last line feed: a row without its own, or the beginning of one. */
  #readTail(): RowsEnd {
    const tail = this.#bytes.subarray(this.#at)
    if (tail.length === 0 || this.#ahead > 0) return this.#end(false)
    if (tail.includes(0)) throw this.#corrupted('a NUL byte', this.#line + 1)
    const line = decodedUtf8(tail)
    if (line === undefined) {
      if (isCutUtf8(tail)) return this.#end(false)
      throw this.#corrupted('bytes that are not UTF-8', this.#line + 1)
    }
    if (line.startsWith('#') || line.trim() === '' || isBrokenOff(line)) return this.#end(false)
    const issue = readIssueLine(line)
    if (issue instanceof BadRow) throw this.#corrupt(`line ${this.#line + 1}: ${issue.why}`)
    const at = this.#from.bytes + this.#at
    this.#take({ issue, at, bytes: tail.length, line: this.#line + 1 })
    this.#at += tail.length
    this.#line++
    return this.#end(true)
  }

  #lineOf(chunk: Uint8Array, isBad: (line: Uint8Array) => boolean): number {
    let line = this.#line + 1
    for (let from = 0; from < chunk.length; line++) {
      const to = chunk.indexOf(lineFeed, from)
      if (isBad(chunk.subarray(from, to))) break
      from = to + 1
    }
    return line
  }

  #corrupted(what: string, line: number): Fault {
    return this.#corrupt(`corrupted substrate: ${what} in line ${line}`, line)
  }

  /** Git wrote both sides of a merge into the file. */
  #holdsMergeMarks(): boolean {
    const text = new TextDecoder().decode(this.#bytes.subarray(this.#at, this.#at + 200_000))
    return mergeMark.test(text)
  }

  #corrupt(why: string, line = this.#line + 1): Fault {
    const isMerge = this.#holdsMergeMarks()
    const what = isMerge ? `line ${line}: marks of a merge that git left open` : why
    return new Fault('corrupt', `issue memory ${this.#path} cannot be trusted: ${what}`, {
      hint: isMerge ? mergeHint : mendHint,
      detail: { path: this.#path, line, why: what },
    })
  }
}

const mendHint = 'Nothing was changed. Restore the line from version control, or mend it by hand.'
/** The lines that git writes around the two sides of a merge that it leaves to a person. */
export const mergeMark = /^(<<<<<<<|=======|>>>>>>>)/m

const mergeHint =
  'premath doctor names the commands that merge it again. If the marks were committed, remove the lines of the marks, and keep the rows.'

/** The end of the last line within `most`, or of the first line where that is longer. */
function endOfLines(bytes: Uint8Array, start: number, most: number): number {
  const before = bytes.lastIndexOf(lineFeed, most - 1)
  return before >= start ? before + 1 : bytes.indexOf(lineFeed, most) + 1
}

const hasNul = (line: Uint8Array) => line.includes(0)
const isForeign = (line: Uint8Array) => decodedUtf8(line) === undefined

/** The beginning of a row that is not whole JSON: an interrupted write leaves it. */
const isBrokenOff = (line: string) => line.startsWith('{') && !isJson(line)

function isJson(line: string): boolean {
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}

function utf8Length(text: string): number {
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (unit >= 0xd800 && unit <= 0xdbff) {
      bytes += 2
      at++
    } else bytes += 2
  }
  return bytes
}
