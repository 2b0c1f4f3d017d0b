/**
 * Fenced blocks of a Markdown document, as CommonMark reads them: a fence that is shown inside a
 * longer one, in a comment or as indented code is text, one in a list or a quotation is a fence.
 */
import MarkdownIt, { type Token } from 'markdown-it'
import type { SourceText } from './source-text.ts'

export interface Fence {
  /** The line it opens on, counted from 0. */
  readonly line: number
  /** The words behind its marks, in lower case. */
  readonly words: readonly string[]
  /** What stands between its lines, without the indentation and marks of what it stands in. */
  readonly text: string
  readonly isClosed: boolean
}

/** Whether its words say that cases stand in it. */
export const holdsCases = ({ words }: Pick<Fence, 'words'>): boolean =>
  words.includes('spec-test') && (words.includes('yaml') || words.includes('yml'))

/** Lines that stand in too much for anybody to look for fences there. */
export interface UnreadLines {
  /** Counted from 0. */
  readonly from: number
  /** The one behind the last. */
  readonly to: number
}

export interface MarkdownBlocks {
  readonly fences: readonly Fence[]
  readonly unread: readonly UnreadLines[]
}

/**
 * Quotations in each other, or twice as many as lists. A line without the marks of a quotation can
 * still belong to it, which is asked for each of them: a thousand would take minutes.
 */
export const markdownDepthMax = 100

// Paragraphs are not looked into: fences are blocks. HTML is, for comments.
const markdown = new MarkdownIt('commonmark', {
  html: true,
  // The reader itself drops what is too deep without a word; the rule below is asked before.
  maxNesting: markdownDepthMax + 1,
}).disable(['inline'])

const tooDeep = 'too_deep'

markdown.block.ruler.before('table', tooDeep, (state, startLine, endLine, isSilent) => {
  if (isSilent || state.level < markdownDepthMax) return false
  let end = startLine + 1
  // Less indented is behind the list that this is in; below 0 it goes on without its marks.
  const isWithin = (line: number) => {
    const indent = state.sCount[line] ?? 0
    return indent < 0 || indent >= state.blkIndent || state.isEmpty(line)
  }
  while (end < endLine && isWithin(end)) end++
  state.push(tooDeep, '', 0).map = [startLine, end]
  state.line = end
  return true
})

export function markdownBlocks({ text }: SourceText): MarkdownBlocks {
  const tokens = markdown.parse(text, {})
  const unread = tokens.flatMap(({ type, map }) =>
    type === tooDeep && map ? [{ from: map[0], to: map[1] }] : [],
  )
  return { fences: tokens.flatMap(fenceIn), unread }
}

function fenceIn({ type, map, info, content }: Token): Fence[] {
  if (type !== 'fence' || !map) return []
  const [line, end] = map
  const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)
  const words = info.toLowerCase().split(/\s+/).filter(Boolean)
  return [{ line, words, text: content, isClosed: end - line === lines + 2 }]
}
