/** How the lines of a text differ from a block of expected lines. */
import { lineDiff } from '../../text/line-diff.ts'
import { printHunks } from '../../text/print-hunks.ts'
import { alignLines } from '../lang/align-lines.ts'
import type { Evaluation } from '../lang/evaluate.ts'
import { expectedLines, linesOf, type PatternTest, type TextLine } from '../lang/expected-lines.ts'
import { Meter } from '../lang/meter.ts'
import { type Comparison, diffLimits } from './comparison.ts'

/** A marked line that matches is context: the diff shows the actual line. */
export function linesComparison(block: string, text: string, evaluation: Evaluation): Comparison {
  const actual = linesOf(text)
  const steps = alignLines(expectedLines(block), actual, patternTest(evaluation))
  const place = new Map(actual.map((line, at) => [line, at]))
  const rows = steps.flatMap(({ expected, actual: line }) =>
    expected === undefined || (expected.kind === 'any*' && line === undefined)
      ? []
      : [{ written: expected.written, at: line && place.get(line) }],
  )
  const hunks = lineDiff(
    rows.map(({ written }) => written),
    actual.map(shown),
    (row, at) => rows[row]?.at === at,
  )
  const diff = printHunks(hunks, diffLimits)
  const lines = [
    'expected: to match these lines (- expected, + actual)',
    ...diff.map(line => `  ${line}`),
  ]
  return { lines, diff }
}

const shown = ({ text, isOpen }: TextLine) => `${text}${isOpen ? ' (no-eol)' : ''}`

/** A pattern that takes too long matches nothing. */
export function patternTest({
  regex,
  budget,
  startTimer,
}: Pick<Evaluation, 'regex' | 'budget' | 'startTimer'>): PatternTest<object> {
  const time = new Meter(budget, startTimer)
  return (text, pattern) => regex.test(pattern, text, time)
}
