/** Rows of text in columns that fit the page. Plain loops: there may be fifty thousand rows. */
import type { Page } from './operation.ts'
import { visible } from './visible.ts'

const gap = 2
/** No column but the last may push the others off the page. */
const columnMax = 28
const lastColumnMin = 12

/** The last column takes what room is left, and is cut where that is not enough. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  page: Page,
): string {
  if (rows.length === 0) return ''
  const shown = rows.map(row => row.map(visible))
  const widths = head.map((title, at) => {
    let widest = title.length
    for (const row of shown) widest = Math.max(widest, widthOf(row[at] ?? ''))
    return Math.min(widest, columnMax)
  })
  const used = widths.slice(0, -1).reduce((sum, width) => sum + width + gap, 0)
  widths[widths.length - 1] = Math.max(lastColumnMin, page.columns - used)
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => fitted(cell, widths[at] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd()
  return [page.ink('bold', line(head)), ...shown.map(line), ''].join('\n')
}

function fitted(text: string, width: number): string {
  const own = widthOf(text)
  if (own <= width) return text + ' '.repeat(width - own)
  let kept = ''
  let room = width - 1
  for (const character of text) {
    room -= widthOf(character)
    if (room < 0) break
    kept += character
  }
  return `${kept}…${' '.repeat(Math.max(0, width - 1 - widthOf(kept)))}`
}

/** Columns a terminal gives to the text: two for East Asian and pictures, none for marks. */
export function widthOf(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this asks for plain ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return text.length
  let width = 0
  for (const character of text) {
    width += /\p{M}|\u200d/u.test(character) ? 0 : wide.test(character) ? 2 : 1
  }
  return width
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u

export interface Counts {
  readonly count: number
  /** All there are, where not all are listed. */
  readonly total?: number
}

/** The first so many, with how many there are; without a limit, all. */
export function limited<T>(
  found: readonly T[],
  limit: number | undefined,
): { readonly shown: readonly T[]; readonly counts: Counts } {
  if (limit === undefined) return { shown: found, counts: { count: found.length } }
  const shown = found.slice(0, limit)
  return { shown, counts: { count: shown.length, total: found.length } }
}

export function countLine({ count, total = count }: Counts, noun: string, page: Page): string {
  const nouns = `${noun}${total === 1 ? '' : 's'}`
  if (total === 0) return `No ${nouns}.\n`
  return `${page.ink('dim', count < total ? `${count} of ${total} ${nouns}` : `${count} ${nouns}`)}\n`
}
