/** Lines of the trajectory as steps, and the reasons why others are none. */

import { BadStepRow, readStepLine, stepLineBytesMax } from '../../kernel/harness/step/step-row.ts'
import type { PlacedStep } from '../../kernel/harness/step/trajectory.ts'
import { decodedUtf8 } from '../../world/utf8.ts'

export interface BadLine {
  /** From 1, blank lines included. */
  readonly line: number
  readonly why: string
}

export interface StepLines {
  readonly steps: readonly PlacedStep[]
  readonly bad: readonly BadLine[]
}

const lineFeed = 0x0a

/** Reads whole lines. `before` is the number of lines before them in the file. */
export function readStepLines(bytes: Uint8Array, before: number): StepLines {
  const steps: PlacedStep[] = []
  const bad: BadLine[] = []
  let line = before
  for (const text of textsOf(bytes)) {
    line++
    if (typeof text === 'string' && text.trim() === '') continue
    const row = typeof text === 'string' ? readStepLine(text, line) : text
    if (row instanceof BadStepRow) bad.push({ line, why: row.why })
    else steps.push({ row, line })
  }
  return { steps, bad }
}

export const tooLong = (bytes: number) =>
  new BadStepRow(`is ${bytes} bytes long; the most is ${stepLineBytesMax}`)

/** Decodes all lines at once, and one by one only where a line may be too long or is not UTF-8. */
function textsOf(bytes: Uint8Array): readonly (string | BadStepRow)[] {
  const text = bytes.length > stepLineBytesMax ? undefined : decodedUtf8(bytes)
  if (text !== undefined) return text === '' ? [] : text.slice(0, -1).split('\n')
  const texts: (string | BadStepRow)[] = []
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.indexOf(lineFeed, from)
    texts.push(textOf(bytes.subarray(from, to)))
    from = to + 1
  }
  return texts
}

function textOf(line: Uint8Array): string | BadStepRow {
  if (line.length > stepLineBytesMax) return tooLong(line.length)
  return decodedUtf8(line) ?? new BadStepRow('bytes that are not UTF-8')
}

/** The bytes after the last line feed: a row without its own, or a part of a row. */
export type Tail = PlacedStep | TornTail | undefined

/** A part of a row that an interrupted write left. */
export interface TornTail {
  readonly line: number
  readonly bytes: number
}

export function readTail(bytes: Uint8Array, line: number): Tail {
  const text = textOf(bytes)
  if (text instanceof BadStepRow) return { line, bytes: bytes.length }
  if (text.trim() === '') return undefined
  const row = readStepLine(text, line)
  return row instanceof BadStepRow ? { line, bytes: bytes.length } : { row, line }
}
