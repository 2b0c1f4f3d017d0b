/** Detects dependency cycles. */

import type { IssueMemory } from '../issue-memory.ts'
import { type GraphScope, issueGraph, pathBetween } from './issue-graph.ts'
import { strongComponents } from './strong-components.ts'

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
