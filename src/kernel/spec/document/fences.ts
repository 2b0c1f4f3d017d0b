/**
 * Fenced blocks of a Markdown document, as CommonMark reads them: a fence that is shown inside a
 * longer one, in a comment or as indented code is text, one in a list or a quotation is a fence.
 */
import MarkdownIt from 'markdown-it'
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

// Paragraphs are not looked into: fences are blocks. HTML is, for comments.
const markdown = new MarkdownIt('commonmark', { html: true }).disable(['inline'])

export function fencesOf({ text }: SourceText): readonly Fence[] {
  return markdown.parse(text, {}).flatMap(({ type, map, info, content }) => {
    if (type !== 'fence' || !map) return []
    const [line, end] = map
    const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)
    const words = info.toLowerCase().split(/\s+/).filter(Boolean)
    return [{ line, words, text: content, isClosed: end - line === lines + 2 }]
  })
}
