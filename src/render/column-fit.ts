/** Chooses the columns of a table that fit the page, and their widths. */

/** A column with less room is dropped. */
const columnMin = 6

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
