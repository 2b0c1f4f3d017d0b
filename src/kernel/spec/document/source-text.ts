/** The text of a document by lines, as CommonMark counts them. */
import type { Place } from './raw-case.ts'

export interface SourceText {
  readonly file: string
  /** Without a byte order mark, with LF line ends. */
  readonly text: string
  /** The line, counted from 0, without its line end. */
  lineText(line: number): string
  /** Both from 0. A position outside the text is clamped. */
  place(line: number, column: number): Place
  /** The place of an offset. */
  placeAt(offset: number): Place
}

export function sourceText(text: string, file: string): SourceText {
  const normal = withFeeds(text.startsWith('\ufeff') ? text.slice(1) : text)
  let found: LineStarts | undefined
  const starts = () => {
    found ??= lineStarts(normal)
    return found
  }

  function lineText(line: number): string {
    const start = starts().starts[line]
    if (start === undefined) return ''
    return normal.slice(start, (starts().starts[line + 1] ?? normal.length) - 1)
  }

  function place(line: number, column: number): Place {
    const last = Math.max(0, starts().starts.length - 1)
    const at = Math.min(Math.max(0, line), last)
    const shown = lineText(at)
    const within = Math.min(Math.max(0, column), shown.length)
    return { file, line: at + 1, column: within + 1, lineText: shown }
  }

  return {
    file,
    text: normal,
    lineText,
    place,
    placeAt(offset) {
      const line = starts().lineOf(offset)
      return place(line, offset - (starts().starts[line] ?? 0))
    },
  }
}

/** Adds a final LF if it is missing, so that all lines are alike. */
function withFeeds(text: string): string {
  const feeds = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  return feeds === '' || feeds.endsWith('\n') ? feeds : `${feeds}\n`
}

export interface LineStarts {
  /** The offset of each line. Text after the last LF is not a line. */
  readonly starts: readonly number[]
  /** From 0. */
  lineOf(offset: number): number
}

export function lineStarts(text: string): LineStarts {
  const starts: number[] = text === '' ? [] : [0]
  for (let feed = text.indexOf('\n'); feed !== -1; feed = text.indexOf('\n', feed + 1)) {
    if (feed + 1 < text.length) starts.push(feed + 1)
  }
  return {
    starts,
    lineOf(offset) {
      let [low, high] = [0, starts.length - 1]
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((starts[middle] ?? 0) <= offset) low = middle
        else high = middle - 1
      }
      return low
    },
  }
}
