/** Whether the order of the work makes sense at all. */

import type { IssueMemory } from '../issue-memory.ts'
import { type GraphScope, issueGraph, pathBetween } from './issue-graph.ts'
import { strongComponents } from './strong-components.ts'

export interface GraphIntegrity {
  readonly hasCycle: boolean
  /** From the first issue on a cycle back to it: `[a, b, a]`. */
  readonly cyclePath: readonly string[] | null
}

/** Where no circle was found among active issues, and how much the edges had grown by then. */
const soundAt = new WeakMap<IssueMemory, number>()

/**
 * The same for active issues, for whoever asks again and again: without a new edge there is no new
 * circle.
 */
export function activeIntegrity(memory: IssueMemory): GraphIntegrity {
  if (soundAt.get(memory) === memory.edgesGrown) return { hasCycle: false, cyclePath: null }
  const found = graphIntegrity(memory, 'active')
  if (!found.hasCycle) soundAt.set(memory, memory.edgesGrown)
  return found
}

/**
 * Edges of every type count, as they do when an edge is added. The cycle told is that of the first
 * issue by id that is on one, along its first edge that leads back, by the shortest way. Components
 * find that issue in linear time; asking each edge for a way back would be quadratic.
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
