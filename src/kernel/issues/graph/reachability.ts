/** Whether one node reaches another, without the path. */

type Neighbours = (id: string) => Iterable<string>

class Side {
  readonly seen: Set<string>
  readonly #queue: string[]
  readonly #neighbours: Neighbours
  #at = 0
  /** The number of visited edges, the cost of a search. */
  looked = 0

  constructor(start: string, neighbours: Neighbours) {
    this.seen = new Set([start])
    this.#queue = [start]
    this.#neighbours = neighbours
  }

  get isDone(): boolean {
    return this.#at === this.#queue.length
  }

  /** Visits the neighbours of one node. Returns true if the other side has seen one of them. */
  meets(other: Side): boolean {
    const id = this.#queue[this.#at++] as string
    for (const next of this.#neighbours(id)) {
      this.looked++
      if (other.seen.has(next)) return true
      if (this.seen.has(next)) continue
      this.seen.add(next)
      this.#queue.push(next)
    }
    return false
  }
}

/**
 * Searches from both ends and continues on the side with the lower cost until one side ends. New
 * issues have many dependencies and few dependents, so one side is nearly always small.
 */
export function isReachable(
  from: string,
  to: string,
  targets: Neighbours,
  sources: Neighbours,
): boolean {
  if (from === to) return true
  const [ahead, behind] = [new Side(from, targets), new Side(to, sources)]
  while (!ahead.isDone && !behind.isDone) {
    const isCheaper = ahead.looked <= behind.looked
    if (isCheaper ? ahead.meets(behind) : behind.meets(ahead)) return true
  }
  return false
}
