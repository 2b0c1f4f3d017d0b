import { widthOf } from '../kernel/text/text-width.ts'
import { cutInked, withoutInk } from '../render/inked-text.ts'

/** How much of a terminal there is. */
export interface Room {
  readonly columns: number
  readonly rows: number | undefined
}

/** Terminals that know of it show all that is between at once; the others ignore it. */
const together = { begin: '\u001b[?2026h', end: '\u001b[?2026l' }

/** Some pictures are wider than we count; one that sticks out must not make a row more. */
const unwrapped = { begin: '\u001b[?7l', end: '\u001b[?7h' }

/** All that is shown and all that scrolled away, and back to the top. */
export const clearAll = '\u001b[H\u001b[2J\u001b[3J'

const clearBelow = '\r\u001b[J'
const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '')

/**
 * The lower part of a terminal, drawn over and over in its place, with the lines that stay above
 * it. The cursor is left on the row below, so there is always one row less to draw on.
 */
export class LiveScreen {
  #drawn: readonly string[] = []

  /** One text that adds the lines that stay and draws these below; empty when all is as it was. */
  frame(stays: string, lines: readonly string[], { columns, rows }: Room): string {
    const fitting = lines.slice(0, rows && rows - 1).map(line => cutInked(line, columns))
    if (stays === '' && isSame(fitting, this.#drawn)) return ''
    const back = up(heightOf(this.#drawn, columns)) + clearBelow
    this.#drawn = fitting
    const screen = fitting.map(line => `${line}\n`).join('')
    return `${together.begin}${back}${stays}${unwrapped.begin}${screen}${unwrapped.end}${together.end}`
  }
}

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((line, at) => line === others[at])

/** How many rows they take now: a window that got narrower has wrapped what was too long for it. */
function heightOf(lines: readonly string[], columns: number): number {
  return lines.reduce((rows, line) => rows + rowsOf(withoutInk(line), columns), 0)
}

function rowsOf(line: string, columns: number): number {
  let rows = 1
  let used = 0
  for (const character of line) {
    const width = widthOf(character)
    if (used + width > columns) {
      rows++
      used = 0
    }
    used += width
  }
  return rows
}
