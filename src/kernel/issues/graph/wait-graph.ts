/** Which issues wait for which, and the longer ways to those that an issue waits for. */
import { strongComponents } from './dependency-cycle.ts'
import type { IssueGraph } from './issue-graph.ts'

/** One issue on a way, from one of the targets of its source. */
interface Visit {
  readonly id: string
  readonly from: Visit | undefined
  /** True once the way has left the component in which it started. */
  readonly hasLeft: boolean
}

export class WaitGraph {
  readonly #graph: IssueGraph
  readonly #component: ReadonlyMap<string, number>
  /** The longest path down from each component. An issue reaches only lower components. */
  readonly #height: readonly number[]

  constructor(graph: IssueGraph) {
    this.#graph = graph
    this.#component = strongComponents(graph)
    this.#height = heights(graph, this.#component)
  }

  /**
   * The shortest other way to each target of an issue that has one: over another of its targets. A
   * single search from all targets finds them, because the cost of one for each would be quadratic.
   *
   * On a cycle every edge has another way, and removing two of them would change the order. A way
   * may therefore start neither in the component of the issue nor in that of its end.
   */
  otherWays(source: string): ReadonlyMap<string, readonly string[]> {
    const ways = new Map<string, readonly string[]>()
    const starts = this.#targetsOf(source).filter(id => !this.#together(id, source))
    const highest = starts.reduce((height, id) => Math.max(height, this.#heightOf(id)), 0)
    const sought = new Set(starts.filter(id => this.#heightOf(id) < highest))
    const lowest = starts.reduce((height, id) => Math.min(height, this.#heightOf(id)), highest)
    const queue: Visit[] = starts.map(id => ({ id, from: undefined, hasLeft: false }))
    const [seen, seenOutside] = [new Set(starts), new Set<string>()]
    for (let at = 0; at < queue.length && sought.size > 0; at++) {
      const from = queue[at] as Visit
      for (const id of this.#targetsOf(from.id)) {
        const hasLeft = from.hasLeft || !this.#together(id, from.id)
        const known = hasLeft ? seenOutside : seen
        if (known.has(id) || this.#heightOf(id) < lowest) continue
        known.add(id)
        const visit = { id, from, hasLeft }
        queue.push(visit)
        if (hasLeft && sought.delete(id)) ways.set(id, [source, ...wayTo(visit)])
      }
    }
    return ways
  }

  #targetsOf(id: string): readonly string[] {
    return this.#graph.get(id) ?? []
  }

  #together(a: string, b: string): boolean {
    return this.#component.get(a) === this.#component.get(b)
  }

  #heightOf(id: string): number {
    return this.#height[this.#component.get(id) ?? 0] ?? 0
  }
}

function wayTo(end: Visit): readonly string[] {
  const way: string[] = []
  for (let visit: Visit | undefined = end; visit; visit = visit.from) way.push(visit.id)
  return way.reverse()
}

/** Component numbers are a topological order, so one pass is enough. */
function heights(graph: IssueGraph, component: ReadonlyMap<string, number>): readonly number[] {
  const height: number[] = []
  for (const [id, own] of component) {
    let most = height[own] ?? 0
    for (const target of graph.get(id) ?? []) {
      const other = component.get(target) ?? own
      if (other !== own) most = Math.max(most, (height[other] ?? 0) + 1)
    }
    height[own] = most
  }
  return height
}
