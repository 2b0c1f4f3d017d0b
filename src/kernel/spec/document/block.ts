/** A piece of YAML with its position in the document. */
import type { Place, Problem } from './raw-case.ts'
import { type LineStarts, lineStarts, type SourceText } from './source-text.ts'

export interface Block {
  readonly text: string
  /** Maps an offset of this text to a place in the document. */
  place(offset: number): Place
}

/** A problem at an offset of the block. */
export interface BlockProblem extends Omit<Problem, 'place'> {
  readonly offset: number
}

/** The text starts on its own line. A fence removes some indentation from each line. */
export function blockOf(source: SourceText, text: string, firstLine: number): Block {
  let found: LineStarts | undefined
  return {
    text,
    place(offset) {
      found ??= lineStarts(text)
      const line = found.lineOf(Math.min(offset, text.length))
      const start = found.starts[line] ?? 0
      const feed = text.indexOf('\n', start)
      const length = (feed === -1 ? text.length : feed) - start
      const lost = source.lineText(firstLine + line).length - length
      // Clamp to the end of the line.
      const column = Math.min(offset - start, length)
      return source.place(firstLine + line, Math.max(0, lost) + column)
    },
  }
}

export function problemIn(block: Block, { offset, ...problem }: BlockProblem): Problem {
  return { place: block.place(offset), ...problem }
}
