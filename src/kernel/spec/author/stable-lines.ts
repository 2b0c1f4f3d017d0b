/** Selects the lines of an output that are stable over two runs. */

export type LeftOutWhy = 'changed' | 'time' | 'not_text' | 'too_long' | 'too_many'

export interface LeftOutLine {
  readonly text: string
  readonly why: LeftOutWhy
}

interface StableLines {
  /** Whole lines, in order, without duplicates. */
  readonly kept: readonly string[]
  readonly leftOut: readonly LeftOutLine[]
}

/** More lines would copy the output instead of stating something about it. */
export const keptLinesMax = 40
const lineCharsMax = 500

export function stableLines(first: string, second: string): StableLines {
  const again = new Set(linesOf(second))
  const kept: string[] = []
  const leftOut: LeftOutLine[] = []
  for (const text of new Set(linesOf(first))) {
    const why = again.has(text) ? whyNot(text, kept.length) : 'changed'
    if (why === undefined) kept.push(text)
    else leftOut.push({ text, why })
  }
  return { kept, leftOut }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.replace(/\r$/, ''))
    .filter(line => line.trim() !== '')

function whyNot(line: string, kept: number): LeftOutWhy | undefined {
  if (notText.test(line)) return 'not_text'
  if (clock.test(line)) return 'time'
  if (line.length > lineCharsMax) return 'too_long'
  return kept >= keptLinesMax ? 'too_many' : undefined
}

/** Control characters and replacement characters. */
const notText = /[^\P{Cc}\t]|\ufffd/u

/** Times of day: two runs can fall into the same second, the next run will not. */
const clock = /\b\d{2}:\d{2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/
