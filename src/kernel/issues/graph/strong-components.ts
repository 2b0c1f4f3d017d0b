/** Strongly connected components by Tarjan's algorithm, iteratively. */
import type { IssueGraph } from './issue-graph.ts'

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
