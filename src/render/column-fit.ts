/** Which columns of a table a page has room for, and how wide each of them is. */

/** Fewer characters say nothing; a column that cannot have them goes. */
const columnMin = 6

export interface FittedColumn {
  /** Its place in the table that was asked for. */
  readonly at: number
  readonly width: number
}

export interface ColumnRoom {
  readonly columns: number
  /** Between two columns. */
  readonly gap: number
  /** The columns that go first where there is too little room. */
  readonly leastFirst: readonly number[]
  /** Those that are never cut nor left out, also where that makes a line too long. */
  readonly whole?: readonly number[]
}

/** The widest give way first; then whole columns go, but never the first, which names the row. */
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

/** Cut to the same level, as high as there is room for; what is left over goes to the last. */
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
