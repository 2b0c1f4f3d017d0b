/** Detects dependency cycles. */
import type { IssueMemory } from '../issue-memory.ts'
import { type GraphScope, type IssueGraph, issueGraph, pathBetween } from './issue-graph.ts'

export interface GraphIntegrity {
  readonly hasCycle: boolean
  /** From the first issue on a cycle back to it: `[a, b, a]`. */
  readonly cyclePath: readonly string[] | null
}

/** Memories without a cycle among active issues, with their edge count at that time. */
const soundAt = new WeakMap<IssueMemory, number>()

/** The same for active issues, cached: without a new edge there is no new cycle. */
export function activeIntegrity(memory: IssueMemory): GraphIntegrity {
  if (soundAt.get(memory) === memory.edgesGrown) return { hasCycle: false, cyclePath: null }
  const found = graphIntegrity(memory, 'active')
  if (!found.hasCycle) soundAt.set(memory, memory.edgesGrown)
  return found
}

/**
 * Edges of every type count, as when an edge is added. Reports the cycle of the first issue by id,
 * along its first edge that leads back, by the shortest path. Components find that issue in linear
 * time; searching from each edge would be quadratic.
 */
export function graphIntegrity(memory: IssueMemory, scope: GraphScope): GraphIntegrity {
  const graph = issueGraph(memory, scope)
  const component = strongComponents(graph)
  for (const [id, targets] of graph) {
    const target = targets.find(target => component.get(target) === component.get(id))
    if (target === undefined) continue
    const back = pathBetween(target, id, at => graph.get(at) ?? [])
    return { hasCycle: true, cyclePath: [id, ...(back ?? [])] }
  }
  return { hasCycle: false, cyclePath: null }
}

/**
 * The component number of each issue. Two issues share one if each reaches the other. An edge never
 * leads to a higher number, so the numbers are a topological order.
 */
export function strongComponents(graph: IssueGraph): ReadonlyMap<string, number> {
  const found = new Map<string, Visit>()
  const componentOf = new Map<string, number>()
  const open: string[] = []
  let components = 0
  for (const root of graph.keys()) {
    if (found.has(root)) continue
    const walk = [enter(root)]
    while (walk.length > 0) {
      const visit = walk.at(-1) as Visit
      const target = visit.targets[visit.next++]
      if (target === undefined) {
        walk.pop()
        const parent = walk.at(-1)
        if (parent) parent.lowest = Math.min(parent.lowest, visit.lowest)
        if (visit.lowest === visit.entered) close(visit.id)
      } else {
        const seen = found.get(target)
        if (!seen) walk.push(enter(target))
        else if (!componentOf.has(target)) visit.lowest = Math.min(visit.lowest, seen.entered)
      }
    }
  }
  return componentOf

  function enter(id: string): Visit {
    const entered = found.size
    const visit = { id, targets: graph.get(id) ?? [], next: 0, entered, lowest: entered }
    found.set(id, visit)
    open.push(id)
    return visit
  }

  /** Everything opened since `first` and still open is one component. */
  function close(first: string): void {
    let id: string | undefined
    do {
      id = open.pop()
      if (id !== undefined) componentOf.set(id, components)
    } while (id !== undefined && id !== first)
    components++
  }
}

interface Visit {
  readonly id: string
  readonly targets: readonly string[]
  next: number
  readonly entered: number
  /** The earliest open issue that this one reaches. */
  lowest: number
}
