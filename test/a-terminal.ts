/**
 * A simulated terminal. It executes the control sequences that premath prints and no others, wraps,
 * scrolls, and wraps again when it is resized. It computes the width of characters independently.
 */
import type { Output } from '../src/world/world.ts'

interface Row {
  /** One entry for each column; the second column of a wide character is empty. */
  cells: string[]
  /** True if the next row continues this line. */
  goesOn: boolean
}

const sequence = '\u001b['

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal reads them.
const part = /^(?:\u001b\[[?\d;]*[A-Za-z]|[^\u001b][\p{M}\u200d]*)/u

export class Terminal implements Output {
  #columns: number
  #height: number
  /** The scrolled rows, followed by the rows on the screen. */
  #rows: Row[] = []
  /** The row at the top of the screen. */
  #top = 0
  #row = 0
  #column = 0
  #wraps = true
  /** The start of an incomplete control sequence. */
  #pending = ''
  /** Every written text, in order. */
  readonly writes: string[] = []

  constructor(columns: number, rows: number) {
    this.#columns = columns
    this.#height = rows
  }

  isTerminal = () => true
  columns = () => this.#columns
  rows = () => this.#height

  write = (text: string): boolean => {
    this.writes.push(text)
    this.#pending += text
    for (let next = this.#next(); next !== undefined; next = this.#next()) this.#obey(next)
    return true
  }

  /** The screen, down to the cursor or the last text below it. */
  screen(): readonly string[] {
    return this.all().slice(this.#top)
  }

  /** The screen with all scrolled rows. */
  all(): readonly string[] {
    const length = Math.max(this.#row + 1, this.#rows.length)
    const rows = Array.from({ length }, (_, at) => this.#rows[at]?.cells ?? [])
    return rows.map(cells => cells.join('').trimEnd())
  }

  resize(columns: number, rows: number): void {
    const before = Array.from({ length: this.#row }, (_, at) => this.#rows[at])
    this.#columns = columns
    this.#height = rows
    this.#rows = []
    this.#top = 0
    this.#row = 0
    this.#column = 0
    for (const row of before) {
      for (const cell of row?.cells ?? []) if (cell !== '') this.#put(cell)
      if (!row?.goesOn) this.#newLine()
    }
  }

  /** A control sequence, or a character with its marks. */
  #next(): string | undefined {
    const next = part.exec(this.#pending)?.[0]
    this.#pending = this.#pending.slice(next?.length ?? 0)
    return next
  }

  #obey(next: string): void {
    const order = next.startsWith(sequence) ? next.slice(sequence.length) : undefined
    if (order === undefined) this.#type(next)
    else if (order === 'J') this.#clearBelow()
    else if (order === 'H') this.#home()
    else if (order === '2J') this.#clearScreen()
    else if (order === '3J') this.#forgetScrolled()
    else if (order === '?7l') this.#wraps = false
    else if (order === '?7h') this.#wraps = true
    else if (/^\d+A$/.test(order)) {
      this.#row = Math.max(this.#top, this.#row - Number.parseInt(order, 10))
    } else if (!/^([\d;]*m|\?2026[hl])$/.test(order)) {
      throw new Error(`not understood: ${order}`)
    }
  }

  #type(character: string): void {
    if (character === '\n') this.#newLine()
    else if (character === '\r') this.#column = 0
    else this.#put(character)
  }

  #newLine(): void {
    this.#column = 0
    this.#row++
    this.#top = Math.max(this.#top, this.#row - this.#height + 1)
  }

  #clearBelow(): void {
    const row = this.#rowAt()
    row.cells.length = Math.min(row.cells.length, this.#column)
    row.goesOn = false
    this.#rows.length = this.#row + 1
  }

  #home(): void {
    this.#row = this.#top
    this.#column = 0
  }

  #clearScreen(): void {
    this.#rows.length = Math.min(this.#rows.length, this.#top)
  }

  #forgetScrolled(): void {
    this.#rows.splice(0, this.#top)
    this.#row -= this.#top
    this.#top = 0
  }

  #put(character: string): void {
    const width = isWide.test(character) ? 2 : 1
    if (this.#column + width > this.#columns) {
      if (this.#wraps) {
        this.#rowAt().goesOn = true
        this.#newLine()
      } else {
        this.#column = this.#columns - width
      }
    }
    const { cells } = this.#rowAt()
    while (cells.length < this.#column) cells.push(' ')
    cells.splice(this.#column, width, character, ...(width === 2 ? [''] : []))
    this.#column += width
  }

  #rowAt(): Row {
    while (this.#rows.length <= this.#row) this.#rows.push({ cells: [], goesOn: false })
    return this.#rows[this.#row] as Row
  }
}

/** Includes characters that a variation selector turns into emoji, as in most terminals. */
const isWide =
  /\p{Emoji_Presentation}|\ufe0f|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u
