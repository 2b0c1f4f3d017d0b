import type { Page } from '../answer.ts'
import { startOf, widthOf } from '../kernel/text/text-width.ts'

const indent = 2
const gap = 2
const labelColumnsMax = 28
const labelColumnsMin = 4
const textColumnsMin = 24

type Wrapping = (text: string, columns: number) => string[]

/** The room for a row. A program that reads a pipe, such as grep, needs the whole row. */
export const rowColumns = ({ columns, keepsRows }: Page): number =>
  keepsRows ? Number.POSITIVE_INFINITY : columns

/** Labels on the left, wrapped texts on the right. */
export function twoColumns(
  rows: readonly (readonly [label: string, text: string])[],
  columns: number,
  wrapping: Wrapping = wrap,
): string {
  const widest = Math.max(0, ...rows.map(([label]) => widthOf(label)))
  // On a narrow page the label column shrinks first.
  const spare = Math.max(labelColumnsMin, columns - indent - gap - textColumnsMin)
  const labelColumns = Math.min(widest, labelColumnsMax, spare)
  const margin = ' '.repeat(indent + labelColumns + gap)
  return rows
    .map(([label, text]) => {
      const lines = wrapping(text, columns - margin.length).map(line => margin + line)
      const [first = '', ...rest] = lines
      // A label wider than its column gets its own line, so the texts stay aligned.
      const labelled =
        widthOf(label) > labelColumns
          ? [...hung(' '.repeat(indent), label, columns, wrapping), first]
          : [`${' '.repeat(indent)}${label}${first.slice(indent + widthOf(label))}`]
      return [...labelled, ...rest].map(line => line.trimEnd()).join('\n')
    })
    .join('\n')
}

/** A hanging indent behind a lead. A text that fits stays on its line. */
export function hung(
  lead: string,
  text: string,
  columns: number,
  wrapping: Wrapping = wrap,
): string[] {
  const below = ' '.repeat(widthOf(lead))
  const room = columns - below.length
  const lines = widthOf(text) <= room ? [text] : wrapping(text, room)
  return lines.map((line, at) => `${at === 0 ? lead : below}${line}`)
}

/**
 * Wraps text. A longer word keeps its own line, because paths and digests must be easy to copy.
 */
export function wrap(text: string, columns: number): string[] {
  return wrapWords(wordsOf(text), columns)
}

/** Like `wrap`, but breaks longer words. */
export function wrapBroken(text: string, columns: number): string[] {
  return wrapWords(broken(wordsOf(text), columns), columns)
}

/** Like `wrap`, for words with spaces that must stay together. */
export function wrapWords(words: readonly string[], columns: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const line = lines.at(-1)
    if (line !== undefined && widthOf(line) + 1 + widthOf(word) <= columns) {
      lines[lines.length - 1] = `${line} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines.length > 0 ? lines : ['']
}

/** Breaks words that fit no line: at spaces first, then anywhere. */
export const broken = (words: readonly string[], columns: number): string[] =>
  words.flatMap(word =>
    widthOf(word) <= columns ? [word] : wordsOf(word).flatMap(part => pieces(part, columns)),
  )

function pieces(word: string, columns: number): string[] {
  const first = startOf(word, columns)
  const rest = word.slice(first.length)
  return rest === '' || first === '' ? [word] : [first, ...pieces(rest, columns)]
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean)
