/**
 * The difference of two lists of lines as hunks: Myers' algorithm, with bounds on time and memory.
 * A part that exceeds them is shown as removed and added whole.
 */

const contextLines = 3

/** Bounds of the compared part: its lines, its removed and added lines, and its comparisons. */
const linesMax = 50_000
const changedMax = 1_000
const comparisonsMax = 4_000_000

export interface DiffLine {
  /** `-` is only in the expected lines, `+` only in the actual ones. */
  readonly mark: ' ' | '-' | '+'
  /** A remark may follow after a line feed. */
  readonly line: string
}

export interface Hunk {
  /** The number of its first line, from 1. */
  readonly expectedFrom: number
  readonly actualFrom: number
  readonly lines: readonly DiffLine[]
}

/** Compares lines by index. It must not depend on earlier calls. */
export type SameLine = (expectedAt: number, actualAt: number) => boolean

/**
 * Empty if all lines are the same. `isSame` may accept more than equal lines, such as a line that
 * matches a pattern: the hunk then shows the actual line.
 */
export function lineDiff(
  expected: readonly string[],
  actual: readonly string[],
  isSame: SameLine = (at, to) => expected[at] === actual[to],
): readonly Hunk[] {
  const changes = changesOf(expected.length, actual.length, isSame)
  return grouped(changes).map(group => hunkOf(group, expected, actual))
}

/** Neighbouring lines that differ. One of the ranges may be empty. */
interface Change {
  readonly expected: Range
  readonly actual: Range
}

interface Range {
  readonly from: number
  readonly to: number
}

export function changesOf(expected: number, actual: number, isSame: SameLine): readonly Change[] {
  let head = 0
  while (head < expected && head < actual && isSame(head, head)) head++
  const most = Math.min(expected, actual) - head
  let tail = 0
  while (tail < most && isSame(expected - 1 - tail, actual - 1 - tail)) tail++
  const ends = [expected - tail, actual - tail] as const
  const changes: Change[] = []
  let [from, to] = [head, head]
  const changeUntil = (at: number, on: number) => {
    if (at > from || on > to) {
      changes.push({ expected: { from, to: at }, actual: { from: to, to: on } })
    }
    ;[from, to] = [at + 1, on + 1]
  }
  const inner: SameLine = (at, on) => isSame(head + at, head + on)
  for (const [at, on] of commonLines(ends[0] - head, ends[1] - head, inner)) {
    changeUntil(head + at, head + on)
  }
  changeUntil(...ends)
  return changes
}

type Pair = readonly [expectedAt: number, actualAt: number]

/** A longest list of lines that both have in this order; empty if it is too long to find. */
function commonLines(expected: number, actual: number, isSame: SameLine): readonly Pair[] {
  if (expected > linesMax || actual > linesMax) return []
  let comparisons = 0
  /** By the number of changed lines: the furthest expected line on each diagonal. */
  const reached: Int32Array[] = []
  for (let changed = 0; changed <= changedMax; changed++) {
    const furthest = new Int32Array(changed + 1)
    reached.push(furthest)
    for (let at = 0; at <= changed; at++) {
      let x = startOn(reached, changed, at).x
      let y = x - (2 * at - changed)
      while (x < expected && y < actual && isSame(x, y)) {
        x++
        y++
        comparisons++
      }
      furthest[at] = x
      if (x >= expected && y >= actual) return walkedBack(reached, expected, actual)
    }
    comparisons += changed + 1
    if (comparisons > comparisonsMax) return []
  }
  return []
}

/** Where a diagonal is entered, after one more removed or added line. */
function startOn(
  reached: readonly Int32Array[],
  changed: number,
  at: number,
): { readonly x: number; readonly isAdded: boolean } {
  if (changed === 0) return { x: 0, isAdded: false }
  const before = reached[changed - 1]
  const added = at < changed ? (before?.[at] ?? 0) : -1
  const removed = at > 0 ? (before?.[at - 1] ?? 0) + 1 : -1
  return added >= removed ? { x: added, isAdded: true } : { x: removed, isAdded: false }
}

function walkedBack(reached: readonly Int32Array[], expected: number, actual: number) {
  const pairs: Pair[] = []
  let [x, y] = [expected, actual]
  for (let changed = reached.length - 1; changed >= 0; changed--) {
    const start = startOn(reached, changed, (x - y + changed) / 2)
    while (x > start.x) pairs.push([--x, --y])
    if (start.isAdded) y--
    else x--
  }
  return pairs.reverse()
}

/** Changes whose context meets share a hunk. */
function grouped(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups: Change[][] = []
  for (const change of changes) {
    const last = groups.at(-1)
    const before = last?.at(-1)
    const isNear = before && change.expected.from - before.expected.to <= 2 * contextLines
    if (last && isNear) last.push(change)
    else groups.push([change])
  }
  return groups
}

function hunkOf(
  group: readonly Change[],
  expected: readonly string[],
  actual: readonly string[],
): Hunk {
  const marked = (mark: DiffLine['mark'], lines: readonly string[]) =>
    lines.map(line => ({ mark, line }))
  const first = group[0]?.actual.from ?? 0
  const lead = Math.min(first, contextLines)
  let at = first - lead
  const lines = group.flatMap(change => {
    const common = marked(' ', actual.slice(at, change.actual.from))
    at = change.actual.to
    return [
      ...common,
      ...marked('-', expected.slice(change.expected.from, change.expected.to)),
      ...marked('+', actual.slice(change.actual.from, change.actual.to)),
    ]
  })
  return {
    expectedFrom: (group[0]?.expected.from ?? 0) - lead + 1,
    actualFrom: first - lead + 1,
    lines: [...lines, ...marked(' ', actual.slice(at, at + contextLines))],
  }
}
