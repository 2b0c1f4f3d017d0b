/** A piece of YAML and where it stands in its document. */
import type { Place, Problem } from './problem.ts'
import { type LineStarts, lineStarts, type SourceText } from './source-text.ts'

export interface Block {
  readonly text: string
  /** The place in the document of a character of this text. */
  place(offset: number): Place
}

/** A problem as whoever reads the block finds it: at an offset. */
export interface BlockProblem extends Omit<Problem, 'place'> {
  readonly offset: number
}

/** The text begins on a line of its own. A fence can have lost some indentation on each line. */
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
      // Past the last line is the end of it: there is nothing to point at behind.
      const column = Math.min(offset - start, length)
      return source.place(firstLine + line, Math.max(0, lost) + column)
    },
  }
}

export function problemIn(block: Block, { offset, ...problem }: BlockProblem): Problem {
  return { place: block.place(offset), ...problem }
}
