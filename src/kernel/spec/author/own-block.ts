/** Blocks as they stand in their document, so that one can change and every other byte stays. */
import { holdsCases, markdownBlocks } from '../document/fences.ts'
import { sourceText } from '../document/source-text.ts'

export interface OwnBlock {
  /** As its reader sees it: without what stands before its lines, each ended by a line feed. */
  readonly text: string
  /** The line of the document that it begins on, from 0. */
  readonly firstLine: number
  /**
   * What stands before each of its lines: the indentation of a list, the mark of a quotation.
   * `undefined` where its text is no part of the lines, as when a tab was taken apart.
   */
  readonly before: readonly string[] | undefined
}

/** In the order of the document. A document that is no Markdown is one block. */
export function ownBlocks(text: string, file: string): readonly OwnBlock[] {
  const source = sourceText(text, file)
  const lines = ownLines(text)
  if (!isMarkdown(file)) return [ownBlock(source.text, 0, lines)]
  return markdownBlocks(source)
    .fences.filter(fence => holdsCases(fence) && fence.isClosed)
    .map(fence => ownBlock(fence.text, fence.line + 1, lines))
}

export const isMarkdown = (file: string): boolean => !/\.(?:ya?ml|json)$/i.test(file)

function ownBlock(text: string, firstLine: number, lines: readonly OwnLine[]): OwnBlock {
  const own = linesOf(text).map((line, at) => {
    const whole = lines[firstLine + at]?.text ?? ''
    return whole.endsWith(line) ? whole.slice(0, whole.length - line.length) : undefined
  })
  const before = own.filter(one => one !== undefined)
  return { text, firstLine, before: before.length === own.length ? before : undefined }
}

/** Without the end of the last. */
const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n')

interface OwnLine {
  readonly text: string
  /** As it was written; empty for a last line that was not ended. */
  readonly end: string
}

function ownLines(text: string): readonly OwnLine[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)]
    .map(([, line = '', end = '']) => ({ text: line, end }))
    .filter(({ text: line, end }, at, all) => line !== '' || end !== '' || at < all.length - 1)
}

/** The document with other text in a block. Lines that stay the same keep their bytes. */
export function withBlockText(text: string, block: OwnBlock, next: string): string {
  const lines = ownLines(text)
  const { firstLine, before = [] } = block
  const old = linesOf(block.text)
  const usual = { end: lineEndOf(text), before: longest(before, old) }
  const kept = (at: number): string => `${lines[at]?.text ?? ''}${lines[at]?.end ?? ''}`
  const { head, tail } = sharedEnds(old, linesOf(next))
  const own = linesOf(next).map((line, at, all) => {
    if (at < head) return kept(firstLine + at)
    if (at >= all.length - tail) return kept(firstLine + old.length - (all.length - at))
    const was = old[at]
    const isAlike = was !== undefined && leadOf(was) === leadOf(line)
    const lead = (isAlike ? before[at] : undefined) ?? usual.before
    // The last line of a document may have no end, and then still has none.
    const end =
      at === all.length - 1
        ? (lines[firstLine + old.length - 1]?.end ?? usual.end)
        : (isAlike ? lines[firstLine + at]?.end : undefined) || usual.end
    return `${line === '' ? lead.trimEnd() : lead}${line}${end}`
  })
  const around = (from: number, to?: number) =>
    lines
      .slice(from, to)
      .map(line => `${line.text}${line.end}`)
      .join('')
  return `${around(0, firstLine)}${own.join('')}${around(firstLine + old.length)}`
}

const leadOf = (line: string) => /^\s*/.exec(line)?.[0] ?? ''

/** How the lines of a document end: as its first one does. */
export const lineEndOf = (text: string): string => /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'

/** A line with less before it may be one that could have lost more. */
function longest(before: readonly string[], lines: readonly string[]): string {
  return before
    .filter((_, at) => lines[at] !== '')
    .map(one => one.replace(/^\ufeff/, ''))
    .reduce((most, one) => (one.length > most.length ? one : most), '')
}

function sharedEnds(old: readonly string[], next: readonly string[]) {
  const most = Math.min(old.length, next.length)
  let head = 0
  while (head < most && old[head] === next[head]) head++
  let tail = 0
  while (tail < most - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++
  return { head, tail }
}
