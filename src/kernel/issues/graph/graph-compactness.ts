/** Finds redundant edges: the order of work is the same without them. */

import type { Dependency } from '../../../wire/issue/issue.ts'
import { byCodePoint } from '../../canonical.ts'
import type { Issue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isActive } from '../issue-status.ts'
import { blockedIssues } from './blocked.ts'
import { graphIntegrity } from './dependency-cycle.ts'
import { pathBetween } from './issue-graph.ts'
import { WaitGraph } from './wait-graph.ts'

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
  const waits = waitGraph(memory)
  const active = memory.all().filter(isActive)
  const closed = active.flatMap(issue =>
    blocksOf(issue)
      .filter(target => memory.get(target)?.status === 'closed')
      .map(target => closedEdge(issue.id, target)),
  )
  return [...closed, ...active.flatMap(issue => transitiveEdges(issue, waits))]
}

/** The current `blocks` edges between issues that are not closed. */
function waitGraph(memory: IssueMemory): WaitGraph {
  const isOpen = (id: string) => memory.get(id)?.status !== 'closed'
  const open = memory.all().filter(({ id }) => isOpen(id))
  return new WaitGraph(new Map(open.map(issue => [issue.id, blocksOf(issue).filter(isOpen)])))
}

const closedEdge = (issueId: string, dependsOnId: string): CompactnessFinding => ({
  class: 'issue_graph.compactness.closed_block_edge',
  issueId,
  dependsOnId,
  message: `${dependsOnId} is closed and blocks nothing any more`,
})

function transitiveEdges(issue: Issue, waits: WaitGraph): readonly CompactnessFinding[] {
  const ways = waits.otherWays(issue.id)
  return blocksOf(issue).flatMap(target => {
    const way = ways.get(target)
    return way ? [transitiveEdge(issue.id, target, way)] : []
  })
}

const transitiveEdge = (
  issueId: string,
  dependsOnId: string,
  way: readonly string[],
): CompactnessFinding => ({
  class: 'issue_graph.compactness.transitive_block_edge',
  issueId,
  dependsOnId,
  message: `${issueId} waits for ${dependsOnId} anyway: ${way.join(' -> ')}`,
  witnessPath: way,
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
