/** The event log as bytes, one event a line. */

import { Fault } from '../../fault.ts'
import type { IssueEvent } from '../../kernel/issues/events/issue-event.ts'
import { readEventLine } from '../../kernel/issues/events/issue-event-line.ts'
import { BadRow } from '../../kernel/issues/issue.ts'
import { decodedUtf8 } from '../../world/utf8.ts'

interface LogLine {
  readonly text: string
  readonly event: IssueEvent
  readonly line: number
}

interface EventLines {
  readonly lines: readonly LogLine[]
  /** An incomplete last line. Events are written without a sync, and the rows have the change. */
  readonly torn: string | undefined
  /** The size of the log without that line. */
  readonly bytes: number
  /** The last line is whole, and only its line feed is missing. */
  readonly unfinished: boolean
}

const lineFeed = 0x0a

export function readEventLines(bytes: Uint8Array, path: string): EventLines {
  const end = bytes.lastIndexOf(lineFeed) + 1
  const texts = decoded(bytes.subarray(0, end), path).split('\n')
  const lines: LogLine[] = []
  for (const [index, text] of texts.entries()) {
    if (isSkipped(text)) continue
    const event = readLine(text, index + 1, path)
    if (event instanceof Fault) throw event
    lines.push({ text, event, line: index + 1 })
  }
  const tail = new TextDecoder().decode(bytes.subarray(end))
  if (isSkipped(tail)) return { lines, torn: undefined, bytes: bytes.length, unfinished: false }
  const event = readLine(tail, texts.length, path)
  if (event instanceof Fault) return { lines, torn: tail, bytes: end, unfinished: false }
  lines.push({ text: tail, event, line: texts.length })
  return { lines, torn: undefined, bytes: bytes.length, unfinished: true }
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

function decoded(bytes: Uint8Array, path: string): string {
  const text = decodedUtf8(bytes)
  if (text === undefined) throw badEvent(path, firstForeign(bytes), 'bytes that are not UTF-8')
  return text
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
