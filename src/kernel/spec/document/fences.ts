/**
 * Finds fenced blocks by the rules of CommonMark: a fence inside a longer fence, a comment or
 * indented code is text; one in a list or a quotation is a fence.
 */
import MarkdownIt, { type Token } from 'markdown-it'
import type { SourceText } from './source-text.ts'

export interface Fence {
  /** Its first line, from 0. */
  readonly line: number
  /** The info string as written. */
  readonly info: string
  /** The info string in lower-case words. */
  readonly words: readonly string[]
  /** The content without indentation and quotation marks. */
  readonly text: string
  readonly isClosed: boolean
  /** The text of the nearest heading above; empty if there is none. */
  readonly heading: string
}

/** True if the info string marks a block of cases. */
export const holdsCases = ({ words }: Pick<Fence, 'words'>): boolean =>
  words.includes('spec-test') && (words.includes('yaml') || words.includes('yml'))

/** True if the info string marks a block of commands and their output. */
export const isConsole = ({ words }: Pick<Fence, 'words'>): boolean => words[0] === 'console'

/** Lines nested too deep to search for fences. */
export interface UnreadLines {
  /** From 0. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

interface MarkdownBlocks {
  readonly fences: readonly Fence[]
  readonly unread: readonly UnreadLines[]
}

/**
 * Nesting limit for quotations; lists count half. Lazy continuation makes the reader check each
 * level for each line: a thousand levels would take minutes.
 */
export const markdownDepthMax = 100

// Inline content is not parsed. HTML blocks are, for comments.
const markdown = new MarkdownIt('commonmark', {
  html: true,
  // The reader silently drops deeper content, so the rule below checks first.
  maxNesting: markdownDepthMax + 1,
}).disable(['inline'])

const tooDeep = 'too_deep'

markdown.block.ruler.before('table', tooDeep, (state, startLine, endLine, isSilent) => {
  if (isSilent || state.level < markdownDepthMax) return false
  let end = startLine + 1
  // A line with less indentation ends the list.
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
  return { fences: fencesIn(tokens), unread }
}

function fencesIn(tokens: readonly Token[]): readonly Fence[] {
  const fences: Fence[] = []
  let heading = ''
  for (const [at, { type, map, info, content }] of tokens.entries()) {
    if (type === 'heading_open') heading = tokens[at + 1]?.content ?? ''
    if (type !== 'fence' || !map) continue
    const [line, end] = map
    const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)
    const words = info.toLowerCase().split(/\s+/).filter(Boolean)
    const isClosed = end - line === lines + 2
    fences.push({ line, info: info.trim(), words, text: content, isClosed, heading })
  }
  return fences
}
