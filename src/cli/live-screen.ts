import { widthOf } from '../kernel/text/text-width.ts'
import { cutInked, withoutInk } from '../render/inked-text.ts'
import type { Clock, Output, ThreadedOutput } from '../world/world.ts'

/** The size of a terminal. */
interface Room {
  readonly columns: number
  readonly rows: number | undefined
}

/** Synchronized output: terminals that support it show the frame at once; others ignore it. */
const together = { begin: '\u001b[?2026h', end: '\u001b[?2026l' }

/** Disables wrapping: some emoji are wider than measured and must not add a row. */
const unwrapped = { begin: '\u001b[?7l', end: '\u001b[?7h' }

/** Clears the screen and its scrollback. */
export const clearAll = '\u001b[H\u001b[2J\u001b[3J'

const clearBelow = '\r\u001b[J'
const up = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '')

/**
 * Redraws the lower part of a terminal below lines that stay. The cursor rests on the row below, so
 * one row is never used.
 */
export class LiveScreen {
  #drawn: readonly string[] = []

  /** Adds permanent lines and redraws the rest; empty if nothing changed. */
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

/** The rows these lines take now: a narrower window wraps long lines. */
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

/** Writes until the reader leaves or an error occurs, then discards. */
export class OutputGuard {
  readonly #out: Pick<Output, 'write'>
  isOver = false
  failure: unknown

  constructor(out: Pick<Output, 'write'>) {
    this.#out = out
  }

  /** Resolves once the reader has everything. */
  async end(behind: ThreadedOutput): Promise<void> {
    try {
      await behind.flush()
    } catch (error) {
      this.failure ??= error
    }
  }

  write(compose?: () => string): void {
    if (this.isOver || !compose) return
    try {
      const text = compose()
      if (text !== '') this.isOver = !this.#out.write(text)
    } catch (error) {
      this.isOver = true
      this.failure = error
    }
  }
}

export async function repeatEvery(
  act: () => unknown,
  everyMs: number,
  clock: Clock,
  goesOn: () => boolean,
): Promise<void> {
  while (goesOn()) {
    act()
    await clock.sleep(everyMs)
  }
}
