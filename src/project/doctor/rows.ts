/** Reads issue memory line by line and reports every bad row, not only the first. */

import { Fault } from '../../fault.ts'
import { BadRow, readIssueLine } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { mergeHint, mergeMark, type RowsEnd, readRows, rowsStart } from '../../store/issue-rows.ts'
import { decodedUtf8 } from '../../world/utf8.ts'
import { type DoctorFinding, finding } from './finding.ts'

interface ExaminedRows {
  readonly bad: readonly DoctorFinding[]
  readonly torn: readonly DoctorFinding[]
  /** `undefined` when the rows cannot be trusted. */
  readonly memory: IssueMemory | undefined
  /** The end of the acknowledged rows, in bytes. */
  readonly end: number
}

const badLinesMax = 50

export function examineRows(bytes: Uint8Array, path: string): ExaminedRows {
  const memory = new IssueMemory()
  try {
    const end = readRows(bytes, rowsStart, path, ({ issue }) => memory.put(issue))
    return { bad: [], torn: tornTail(bytes, end), memory, end: end.bytes }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const found = badLines(bytes)
    const bad = found.length > 0 ? found : [badRow(error.message)]
    return { bad, torn: [], memory: undefined, end: 0 }
  }
}

function tornTail(bytes: Uint8Array, end: RowsEnd): DoctorFinding[] {
  const over = bytes.length - end.bytes
  if (over === 0) return []
  return [
    finding(
      'torn',
      `the last ${over} bytes are a row that was cut off while it was written`,
      'It was never acknowledged. Readers skip it, and the next change moves it aside.',
      'premath doctor --fix moves it aside now.',
    ),
  ]
}

const badRow = (what: string, next = 'Restore the line from version control, or fix it by hand.') =>
  finding('rows', what, 'One bad row makes the whole memory unusable.', next, 5)

const lineFeed = 0x0a

function badLines(bytes: Uint8Array): DoctorFinding[] {
  const found: DoctorFinding[] = []
  let number = 0
  for (let from = 0; from < bytes.length && found.length < badLinesMax; ) {
    const next = bytes.indexOf(lineFeed, from)
    const to = next === -1 ? bytes.length : next
    number++
    const line = bytes.subarray(from, to)
    const flaw = flawOf(line)
    const isMark = flaw !== undefined && mergeMark.test(new TextDecoder().decode(line))
    if (isMark) return [badRow(`line ${number} is a mark of a merge that git left open`, mergeHint)]
    if (flaw !== undefined) found.push(badRow(`line ${number}: ${flaw}`))
    from = to + 1
  }
  return found
}

function flawOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return 'holds a NUL byte'
  const line = decodedUtf8(bytes)
  if (line === undefined) return 'is not UTF-8'
  if (line.startsWith('#') || line.trim() === '') return undefined
  const issue = readIssueLine(line)
  return issue instanceof BadRow ? issue.why : undefined
}
