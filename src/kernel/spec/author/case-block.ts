/**
 * Blocks with their position in the document, so that one can change and every other byte stays.
 */
import { holdsCases, isConsole, markdownBlocks } from '../document/fences.ts'
import { sourceText } from '../document/source-text.ts'

export interface CaseBlock {
  readonly isConsole: boolean
  /** The text as the YAML reader sees it: without line prefixes, with LF line ends. */
  readonly text: string
  /** Its first line in the document, from 0. */
  readonly firstLine: number
  /**
   * The prefix of each line: list indentation or a quotation mark.
   * `undefined` if the text is not a substring of its lines, for example because of an expanded tab.
   */
  readonly before: readonly string[] | undefined
}

/** In document order. A document that is not Markdown is one block. */
export function caseBlocks(text: string, file: string): readonly CaseBlock[] {
  const source = sourceText(text, file)
  const lines = ownLines(text)
  if (!isMarkdown(file)) return [{ ...ownBlock(source.text, 0, lines), isConsole: false }]
  return markdownBlocks(source)
    .fences.filter(fence => fence.isClosed && (isConsole(fence) || holdsCases(fence)))
    .map(fence => ({
      ...ownBlock(fence.text, fence.line + 1, lines),
      isConsole: isConsole(fence),
    }))
}

export const isMarkdown = (file: string): boolean => !/\.(?:ya?ml|json)$/i.test(file)

function ownBlock(
  text: string,
  firstLine: number,
  lines: readonly OwnLine[],
): Omit<CaseBlock, 'isConsole'> {
  const own = linesOf(text).map((line, at) => {
    const whole = lines[firstLine + at]?.text ?? ''
    return whole.endsWith(line) ? whole.slice(0, whole.length - line.length) : undefined
  })
  const before = own.filter(one => one !== undefined)
  return { text, firstLine, before: before.length === own.length ? before : undefined }
}

/** Without the last line end. */
const linesOf = (text: string): readonly string[] =>
  text === '' ? [] : text.replace(/\n$/, '').split('\n')

interface OwnLine {
  readonly text: string
  /** The line end as written; empty for an unfinished last line. */
  readonly end: string
}

function ownLines(text: string): readonly OwnLine[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\r|\n|$)/g)]
    .map(([, line = '', end = '']) => ({ text: line, end }))
    .filter(({ text: line, end }, at, all) => line !== '' || end !== '' || at < all.length - 1)
}

/** Replaces the text of a block. Unchanged lines keep their bytes. */
export function withBlockText(text: string, block: CaseBlock, next: string): string {
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
    // A blank line may lack the prefix.
    const isAlike = was !== undefined && leadOf(was) === leadOf(line) && (was !== '' || line === '')
    const lead = (isAlike ? before[at] : undefined) ?? usual.before
    // A last line without a line end keeps having none.
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

/** The line end of the document's first line. */
export const lineEndOf = (text: string): string => /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'

/** A blank line can have a shorter prefix than the others. */
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
