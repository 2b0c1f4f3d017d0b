/** Finds redundant edges: the order of work is the same without them. */

import type { Dependency } from '../../../wire/issue/issue.ts'
import { byCodePoint } from '../../canonical.ts'
import type { Issue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isActive } from '../issue-status.ts'
import { blockedIssues } from './blocked.ts'
import { graphIntegrity, strongComponents } from './dependency-cycle.ts'
import { type IssueGraph, pathBetween } from './issue-graph.ts'

export interface CompactnessFinding {
  readonly class:
    | 'issue_graph.compactness.closed_block_edge'
    | 'issue_graph.compactness.transitive_block_edge'
  readonly issueId: string
  readonly dependsOnId: string
  readonly message: string
  /** The longer path that makes a transitive edge redundant. */
  readonly witnessPath?: readonly string[]
}

/**
 * Judges only `blocks` edges of active issues. All findings can be removed together without
 * changing which issues are ready, blocked or waiting.
 */
export function compactnessFindings(memory: IssueMemory): readonly CompactnessFinding[] {
  const waits = new WaitGraph(memory)
  const active = memory.all().filter(isActive)
  const closed = active.flatMap(issue =>
    blocksOf(issue)
      .filter(target => memory.get(target)?.status === 'closed')
      .map(target => closedEdge(issue.id, target)),
  )
  return [...closed, ...active.flatMap(issue => waits.transitiveEdges(issue.id))]
}

const closedEdge = (issueId: string, dependsOnId: string): CompactnessFinding => ({
  class: 'issue_graph.compactness.closed_block_edge',
  issueId,
  dependsOnId,
  message: `${dependsOnId} is closed and blocks nothing any more`,
})

function blocksOf({ dependencies }: Issue): readonly string[] {
  const targets = dependencies.filter(({ type }) => type === 'blocks').map(row => row.depends_on_id)
  return targets.length < 2 ? targets : [...new Set(targets)].sort(byCodePoint)
}

/**
 * Whether this edge is redundant. Checked again right before its removal, because memory may have
 * changed.
 */
export function isRedundantBlock(memory: IssueMemory, source: string, target: string): boolean {
  const isOpen = (id: string) => memory.get(id)?.status !== 'closed'
  if (!isOpen(target)) return true
  const way = pathBetween(source, target, id => {
    const issue = memory.get(id)
    const next = issue ? blocksOf(issue).filter(isOpen) : []
    return id === source ? next.filter(to => to !== target) : next
  })
  return way !== undefined && source !== target
}

/** A copy of memory without those edges. */
export function withoutBlocks(
  memory: IssueMemory,
  edges: readonly { readonly issueId: string; readonly dependsOnId: string }[],
): IssueMemory {
  const gone = new Map<string, Set<string>>()
  for (const { issueId, dependsOnId } of edges) {
    gone.set(issueId, (gone.get(issueId) ?? new Set()).add(dependsOnId))
  }
  const rest = new IssueMemory()
  for (const issue of memory.all()) {
    const targets = gone.get(issue.id)
    const stays = (row: Dependency) => row.type !== 'blocks' || !targets?.has(row.depends_on_id)
    rest.put(targets ? { ...issue, dependencies: issue.dependencies.filter(stays) } : issue)
  }
  return rest
}

/** The properties that compaction must preserve. */
interface WorkOrder {
  readonly readyIds: readonly string[]
  readonly blockedIds: readonly string[]
  readonly activeCycle: boolean
}

export function workOrder(memory: IssueMemory): WorkOrder {
  return {
    readyIds: Array.from(memory.ready(), ({ id }) => id),
    blockedIds: blockedIssues(memory).map(({ issue }) => issue.id),
    activeCycle: graphIntegrity(memory, 'active').hasCycle,
  }
}

/** True if the same issues are ready and blocked, and no cycle appeared. */
export function keepsOrder(before: WorkOrder, after: WorkOrder): boolean {
  return (
    sameIds(before.readyIds, after.readyIds) &&
    sameIds(before.blockedIds, after.blockedIds) &&
    (before.activeCycle || !after.activeCycle)
  )
}

const sameIds = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((id, at) => id === b[at])

/** The current `blocks` edges between issues that are not closed. */
class WaitGraph {
  readonly #graph: IssueGraph
  readonly #component: ReadonlyMap<string, number>
  /** The longest path down from each component. An issue reaches only lower components. */
  readonly #height: readonly number[]

  constructor(memory: IssueMemory) {
    const isOpen = (id: string) => memory.get(id)?.status !== 'closed'
    this.#graph = new Map(
      memory
        .all()
        .filter(({ id }) => isOpen(id))
        .map(issue => [issue.id, blocksOf(issue).filter(isOpen)]),
    )
    this.#component = strongComponents(this.#graph)
    this.#height = heights(this.#graph, this.#component)
  }

  transitiveEdges(source: string): readonly CompactnessFinding[] {
    const targets = this.#graph.get(source) ?? []
    if (targets.length < 2) return []
    return targets.flatMap(target => {
      const way = this.#otherWay(source, target, targets)
      if (!way) return []
      return [
        {
          class: 'issue_graph.compactness.transitive_block_edge' as const,
          issueId: source,
          dependsOnId: target,
          message: `${source} waits for ${target} anyway: ${way.join(' -> ')}`,
          witnessPath: way,
        },
      ]
    })
  }

  /**
   * On a cycle every edge has another path, and removing two of them would change the order. The
   * path may therefore start neither in the source's component nor in the target's.
   */
  #otherWay(source: string, target: string, targets: readonly string[]) {
    const isWayIn = (id: string) => !this.#together(id, source) && this.#above(id, target)
    const ways = targets.filter(isWayIn)
    if (ways.length === 0) return undefined
    return pathBetween(source, target, id => {
      if (id === source) return ways
      // Only the target's own cycle leads to it from its height or below.
      const next = this.#graph.get(id) ?? []
      return next.filter(to => this.#together(to, target) || this.#above(to, target))
    })
  }

  #together(a: string, b: string): boolean {
    return this.#component.get(a) === this.#component.get(b)
  }

  #above(a: string, b: string): boolean {
    return this.#heightOf(a) > this.#heightOf(b)
  }

  #heightOf(id: string): number {
    return this.#height[this.#component.get(id) ?? 0] ?? 0
  }
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
