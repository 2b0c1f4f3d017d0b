/**
 * The failures of each block by class, as numbers: the failures of a million steps are grouped
 * without reading their rows. One list has the names of classes and issues; a number is a place in it.
 */
import type { ClassFailures } from '../../kernel/harness/retry/failure-clusters.ts'

/**
 * For each block the number of its cells, and these for each class: its name, the number of its
 * steps, the line and the time of the newest (seconds and nanoseconds), the number of issues, and
 * their names.
 */
export interface PackedFailures {
  readonly cells: Float64Array
  /** The names as JSON, read only by who needs them. */
  readonly names: Uint8Array
}

export const noFailures: PackedFailures = { cells: new Float64Array(), names: new Uint8Array() }

const nanosPerSecond = 1_000_000_000n

const namesIn = ({ names }: PackedFailures): readonly string[] =>
  names.length === 0 ? [] : JSON.parse(new TextDecoder().decode(names))

/** Appends blocks to those that are packed. */
export class FailurePacker {
  readonly #known: PackedFailures
  readonly #cells: number[] = []
  readonly #numbers: Map<string, number>

  constructor(known: PackedFailures) {
    this.#known = known
    this.#numbers = new Map(namesIn(known).map((name, at) => [name, at]))
  }

  add(block: readonly ClassFailures[]): void {
    const lengthAt = this.#cells.push(0) - 1
    for (const { resultClass, count, issueIds, newest } of block) {
      const { finishedAt, line } = newest
      const time = [Number(finishedAt / nanosPerSecond), Number(finishedAt % nanosPerSecond)]
      this.#cells.push(this.#numberOf(resultClass), count, line, ...time, issueIds.size)
      for (const id of issueIds) this.#cells.push(this.#numberOf(id))
    }
    this.#cells[lengthAt] = this.#cells.length - lengthAt - 1
  }

  packed(): PackedFailures {
    const fresh = Float64Array.from(this.#cells)
    const cells = new Float64Array(this.#known.cells.length + fresh.length)
    cells.set(this.#known.cells)
    cells.set(fresh, this.#known.cells.length)
    return { cells, names: new TextEncoder().encode(JSON.stringify([...this.#numbers.keys()])) }
  }

  #numberOf(name: string): number {
    const known = this.#numbers.get(name)
    if (known !== undefined) return known
    this.#numbers.set(name, this.#numbers.size)
    return this.#numbers.size - 1
  }
}

/** The cells of a class before those of its issues. */
const factCells = 6

/** One class, with numbers for its name and its issues. */
interface Merged {
  count: number
  line: number
  seconds: number
  nanos: number
  readonly issues: Set<number>
}

/** The failures of the blocks that are asked for, by class. */
export function failuresIn(
  packed: PackedFailures,
  isAsked: (block: number) => boolean,
): readonly ClassFailures[] {
  const names = namesIn(packed)
  return Array.from(merged(packed.cells, isAsked), ([name, failures]) => {
    const { count, line, seconds, nanos, issues } = failures
    return {
      resultClass: names[name] as string,
      count,
      issueIds: new Set(Array.from(issues, number => names[number] as string)),
      newest: { finishedAt: BigInt(seconds) * nanosPerSecond + BigInt(nanos), line },
    }
  })
}

function merged(cells: Float64Array, isAsked: (block: number) => boolean) {
  const byClass = new Map<number, Merged>()
  const cell = (at: number) => cells[at] as number
  for (let [at, block] = [0, 0]; at < cells.length; block++) {
    const end = at + 1 + cell(at)
    at = isAsked(block) ? at + 1 : end
    while (at < end) {
      const newest = { line: cell(at + 2), seconds: cell(at + 3), nanos: cell(at + 4) }
      const known = byClass.get(cell(at)) ?? { count: 0, ...newest, issues: new Set() }
      byClass.set(cell(at), known)
      known.count += cell(at + 1)
      if (isNotOlder(newest, known)) Object.assign(known, newest)
      const issuesEnd = at + factCells + cell(at + 5)
      for (at += factCells; at < issuesEnd; at++) known.issues.add(cell(at))
    }
  }
  return byClass
}

type Time = Pick<Merged, 'seconds' | 'nanos'>

/** Blocks are merged in the order of the file, so of equal times the later one is newer. */
const isNotOlder = (a: Time, b: Time) =>
  a.seconds === b.seconds ? a.nanos >= b.nanos : a.seconds > b.seconds
