/** Keeps comments where the author wrote them. */
import { Lexer } from 'yaml'

/**
 * The YAML printer indents a comment behind a nested collection like that collection, even if the
 * author wrote it at the start of the line. It moves a comment behind a key to the next line.
 */
export function withKeptComments(formatted: string, source: string): string {
  const before = commentsIn(source)
  const outer = new Set(before.filter(isOuter).map(({ text }) => text))
  for (const one of before) if (!isOuter(one)) outer.delete(one.text)
  const behind = new Set(before.map(one => `${one.lead} ${one.text}`))
  let kept = formatted
  // Back to front, so that earlier offsets stay valid.
  for (const { offset, indent, lead, text } of commentsIn(formatted).reverse()) {
    if (lead !== '') continue
    const start = offset - indent
    const above = formatted.slice(formatted.lastIndexOf('\n', start - 2) + 1, start - 1).trim()
    if (above.endsWith(':') && behind.has(`${above} ${text}`)) {
      kept = `${kept.slice(0, start - 1)} ${kept.slice(offset)}`
    } else if (outer.has(text)) kept = kept.slice(0, start) + kept.slice(offset)
  }
  return kept
}

interface Comment {
  /** The place of its `#`. */
  readonly offset: number
  /** The column of its `#`, from 0. */
  readonly indent: number
  /** The text before it on its line, without spaces around it. */
  readonly lead: string
  readonly text: string
}

const isOuter = ({ indent }: Comment) => indent === 0

/** Characters that the lexer emits and that are not in the text. */
const marks: readonly string[] = ['\u0002', '\u0018', '\u001f']

function commentsIn(text: string): Comment[] {
  const comments: Comment[] = []
  let offset = 0
  for (const token of new Lexer().lex(text)) {
    if (marks.includes(token)) continue
    if (token.startsWith('#')) {
      const start = text.lastIndexOf('\n', offset - 1) + 1
      const lead = text.slice(start, offset).trim()
      comments.push({ offset, indent: offset - start, lead, text: token.trimEnd() })
    }
    offset += token.length
  }
  return comments
}
