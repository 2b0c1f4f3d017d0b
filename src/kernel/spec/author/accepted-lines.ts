/** Rewrites a block of expected lines so that it accepts a text. */
import { alignLines, type LineStep } from '../lang/align-lines.ts'
import {
  type ExpectedLine,
  expectedLines,
  linesOf,
  type PatternTest,
  type TextLine,
  writtenLine,
} from '../lang/expected-lines.ts'

/**
 * The new block. An expected line that still fits stays as written, so that its marker stays too.
 * `(any*)` stands for the new lines in its place, except those that replace a neighbour.
 */
export function acceptedLines(block: string, text: string, test: PatternTest<object>): string {
  const steps = alignLines(expectedLines(block), linesOf(text), test)
  const lines = partsOf(steps).flatMap((part, at, all) =>
    'star' in part ? starLines(part, all[at - 1], all[at + 1]) : part.lines,
  )
  // An open line is the last one, so an `(any*)` after it stands for nothing.
  const last = lines.findLastIndex(line => line !== '(any*)')
  const isCut = !text.endsWith('\n') && openEnd.test(lines[last] ?? '')
  const kept = isCut ? lines.slice(0, last + 1) : lines
  return kept.map(line => `${line}\n`).join('')
}

const openEnd = / \(no-eol\)$/

/** The lines for which an `(any*)` stands. */
interface Star {
  readonly star: ExpectedLine
  readonly absorbed: TextLine[]
}

interface Others {
  readonly lines: string[]
  /** How many expected lines are missing at its start and at its end. */
  missingFirst: number
  missingLast: number
}

function partsOf(steps: readonly LineStep[]): readonly (Star | Others)[] {
  const parts: (Star | Others)[] = []
  for (const { expected, actual } of steps) {
    let last = parts.at(-1)
    if (expected?.kind === 'any*') {
      if (last === undefined || !('star' in last) || last.star !== expected) {
        last = { star: expected, absorbed: [] }
        parts.push(last)
      }
      if (actual !== undefined) last.absorbed.push(actual)
      continue
    }
    if (last === undefined || 'star' in last) {
      last = { lines: [], missingFirst: 0, missingLast: 0 }
      parts.push(last)
    }
    if (actual === undefined) {
      last.missingLast++
      if (last.lines.length === 0) last.missingFirst++
    } else {
      last.lines.push(expected?.written ?? writtenLine(actual))
      last.missingLast = 0
    }
  }
  return parts
}

/** A line that took the place of a missing one must not disappear in the `(any*)` beside it. */
function starLines(
  { star, absorbed }: Star,
  before: Star | Others | undefined,
  after: Star | Others | undefined,
): readonly string[] {
  const head = before !== undefined && 'lines' in before ? before.missingLast : 0
  const tail = after !== undefined && 'lines' in after ? after.missingFirst : 0
  const from = Math.min(head, absorbed.length)
  const to = Math.max(from, absorbed.length - tail)
  return [
    ...absorbed.slice(0, from).map(writtenLine),
    star.written,
    ...absorbed.slice(to).map(writtenLine),
  ]
}
