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
}

/** The widest give way first; then whole columns go, but never the first, which names the row. */
export function fitColumns(wanted: readonly number[], room: ColumnRoom): readonly FittedColumn[] {
  const kept = keptColumns(wanted, room)
  const widths = shrunk(
    kept.map(at => wanted[at] ?? 0),
    room.columns - room.gap * (kept.length - 1),
  )
  return kept.map((at, index) => ({ at, width: widths[index] ?? 0 }))
}

function keptColumns(wanted: readonly number[], { columns, gap, leastFirst }: ColumnRoom) {
  const others = [...wanted.keys()].filter(at => !leastFirst.includes(at)).reverse()
  const going = [...leastFirst, ...others].filter(at => at !== 0)
  let kept = [...wanted.keys()]
  const least = () =>
    kept.reduce((sum, at) => sum + gap + Math.min(wanted[at] ?? 0, columnMin), -gap)
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
