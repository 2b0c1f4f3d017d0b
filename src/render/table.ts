/** Renders rows as columns that fit the page. Plain loops: there may be fifty thousand rows. */
import type { Page } from '../answer.ts'
import { cut, widthOf } from '../kernel/text/text-width.ts'
import { visible } from '../kernel/text/visible.ts'
import { rowColumns, wrap } from './columns.ts'

const gap = 2
/** The maximum width of every column but the last. */
const columnMax = 28

/**
 * On a narrow page, the columns of `leastFirst` go in that order, then the others from the right.
 * The first column and those of `whole` stay uncut.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  page: Page,
  leastFirst: readonly string[] = [],
  whole: readonly string[] = [],
): string {
  if (rows.length === 0) return ''
  const shown = rows.map(row => row.map(visible))
  const fitted = fitColumns(wantedWidths(head, shown, page.keepsRows ? head : whole), {
    columns: rowColumns(page),
    gap,
    leastFirst: leastFirst.map(title => head.indexOf(title)),
    whole: whole.map(title => head.indexOf(title)),
  })
  const line = (cells: readonly string[]) => lineOf(cells, fitted)
  return [page.ink('bold', line(head)), ...shown.map(line), ''].join('\n')
}

function wantedWidths(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  whole: readonly string[],
): readonly number[] {
  return head.map((title, at) => {
    let widest = widthOf(title)
    for (const row of rows) widest = Math.max(widest, widthOf(row[at] ?? ''))
    const isFree = at === head.length - 1 || whole.includes(title)
    return isFree ? widest : Math.min(widest, columnMax)
  })
}

const lineOf = (cells: readonly string[], columns: readonly FittedColumn[]) =>
  columns
    .map(({ at, width }) => padded(cut(cells[at] ?? '', width), width))
    .join(' '.repeat(gap))
    .trimEnd()

const padded = (text: string, width: number) => text + ' '.repeat(width - widthOf(text))

export interface Counts {
  readonly count: number
  /** The total, if not all are listed. */
  readonly total?: number
}

/** The first items up to the limit, with the total; without a limit, all. */
export function limited<T>(
  found: readonly T[],
  limit: number | undefined,
): { readonly shown: readonly T[]; readonly counts: Counts } {
  if (limit === undefined) return { shown: found, counts: { count: found.length } }
  const shown = found.slice(0, limit)
  return { shown, counts: { count: shown.length, total: found.length } }
}

export function countLine(
  { count, total = count }: Counts,
  noun: string,
  page: Page,
  more = '',
): string {
  const nouns = `${noun}${total === 1 ? '' : 's'}${more}`
  if (total === 0) return `No ${nouns}.\n`
  const summary = count < total ? `${count} of ${total} ${nouns}` : `${count} ${nouns}`
  return `${wrap(summary, page.columns)
    .map(line => page.ink('dim', line))
    .join('\n')}\n`
}

/** A column with less room is dropped. */
const columnMin = 6

/** Chooses the columns of a table that fit the page, and their widths. */
export interface FittedColumn {
  /** Its index in the requested table. */
  readonly at: number
  readonly width: number
}

interface ColumnRoom {
  readonly columns: number
  /** The space between two columns. */
  readonly gap: number
  /** The columns to drop first. */
  readonly leastFirst: readonly number[]
  /** Columns that are never cut or dropped, even if the line gets too long. */
  readonly whole?: readonly number[]
}

/** Shrinks the widest columns first, then drops columns, but never the first. */
export function fitColumns(wanted: readonly number[], room: ColumnRoom): readonly FittedColumn[] {
  const { whole = [] } = room
  const kept = keptColumns(wanted, room)
  const cuttable = kept.filter(at => !whole.includes(at))
  const fixed = sum(kept.map(at => (whole.includes(at) ? (wanted[at] ?? 0) : 0)))
  const widths = shrunk(
    cuttable.map(at => wanted[at] ?? 0),
    Math.max(columnMin, room.columns - room.gap * (kept.length - 1) - fixed),
  )
  return kept.map(at => ({ at, width: widths[cuttable.indexOf(at)] ?? wanted[at] ?? 0 }))
}

function keptColumns(
  wanted: readonly number[],
  { columns, gap, leastFirst, whole = [] }: ColumnRoom,
) {
  const others = [...wanted.keys()].filter(at => !leastFirst.includes(at)).reverse()
  const going = [...leastFirst, ...others].filter(at => at !== 0 && !whole.includes(at))
  let kept = [...wanted.keys()]
  const leastOf = (at: number) =>
    Math.min(wanted[at] ?? 0, whole.includes(at) ? Infinity : columnMin)
  const least = () => kept.reduce((sum, at) => sum + gap + leastOf(at), -gap)
  for (const at of going) {
    if (least() <= columns) break
    kept = kept.filter(one => one !== at)
  }
  return kept
}

/** Cuts to a common maximum and gives the rest to the last column. */
function shrunk(widths: readonly number[], room: number): readonly number[] {
  let level = Math.min(Math.max(...widths), room)
  while (level > 1 && sum(widths.map(width => Math.min(width, level))) > room) level--
  let left = room - sum(widths.map(width => Math.min(width, level)))
  return widths
    .toReversed()
    .map(width => (width > level && left-- > 0 ? level + 1 : Math.min(width, level)))
    .reverse()
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, next) => total + next, 0)
