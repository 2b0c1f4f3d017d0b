/** Adds, removes and retypes edges between issues. */

import type { Dependency, DependencyType } from '../../../wire/issue/issue.ts'
import { trim } from '../../text/clean.ts'
import type { Issue } from '../issue.ts'
import { stamped } from '../issue-edit.ts'
import type { IssueMemory } from '../issue-memory.ts'
import { type IssueRefusal, issueNotFound, refuse } from '../issue-refusal.ts'
import { isRedundantBlock } from './graph-compactness.ts'
import { pathBetween, targetsOf } from './issue-graph.ts'

export interface EdgeName {
  readonly issueId: string
  readonly dependsOnId: string
  readonly type: DependencyType
  /** For removal: only if the order of work stays the same, decided under the lock. */
  readonly onlyIfRedundant?: boolean
}

interface EdgeChanged {
  readonly rows: readonly Issue[]
  readonly issue: Issue
}

export function addDependency(
  memory: IssueMemory,
  edge: EdgeName & { readonly createdBy: string },
  now: bigint,
): EdgeChanged | IssueRefusal {
  const issue = endpoints(memory, edge)
  if ('failureClass' in issue) return issue
  if (issue.dependencies.some(named(edge))) {
    const remedy = 'It is there already; premath dep tree shows it.'
    return refuse('dependency_exists', `dependency already exists: ${edgeText(edge)}`, remedy)
  }
  const back = cyclePath(memory, edge)
  if (back) {
    const path = [edge.issueId, ...back].join(' -> ')
    const remedy = 'Remove one edge of the path first, or turn this one around.'
    return refuse('dependency_cycle', `dependency cycle detected: ${path}`, remedy)
  }
  const row: Dependency = {
    issue_id: edge.issueId,
    depends_on_id: edge.dependsOnId,
    type: edge.type,
    created_by: trim(edge.createdBy),
  }
  return changed(issue, [...issue.dependencies, row], now)
}

/** The shortest path back. Searched only if one may exist: nearly no edge closes a cycle. */
function cyclePath(memory: IssueMemory, { issueId, dependsOnId }: EdgeName) {
  if (!memory.mayLead(dependsOnId, issueId)) return undefined
  return pathBetween(dependsOnId, issueId, id => targetsOf(memory, id))
}

export function removeDependency(
  memory: IssueMemory,
  edge: EdgeName,
  now: bigint,
): EdgeChanged | IssueRefusal {
  const issue = memory.get(edge.issueId)
  if (!issue) return issueNotFound(edge.issueId, memory)
  if (!issue.dependencies.some(named(edge))) return edgeNotFound(edge)
  if (edge.onlyIfRedundant && !isRedundant(memory, edge)) {
    const diagnostic = `dependency is not redundant: ${edgeText(edge)}`
    return refuse('dependency_not_redundant', diagnostic, 'Check again: premath issue-graph-check.')
  }
  return changed(
    issue,
    issue.dependencies.filter(row => !named(edge)(row)),
    now,
  )
}

export function replaceDependency(
  memory: IssueMemory,
  edge: EdgeName & { readonly toType: DependencyType; readonly createdBy: string },
  now: bigint,
): EdgeChanged | IssueRefusal {
  const issue = endpoints(memory, edge)
  if ('failureClass' in issue) return issue
  if (!issue.dependencies.some(named(edge))) return edgeNotFound(edge)
  const target = { ...edge, type: edge.toType }
  if (edge.toType !== edge.type && issue.dependencies.some(named(target))) {
    const remedy = 'Remove one of the two edges instead.'
    return refuse('dependency_exists', `dependency already exists: ${edgeText(target)}`, remedy)
  }
  const replaced = issue.dependencies.map(row =>
    named(edge)(row)
      ? { ...row, type: edge.toType, created_by: trim(edge.createdBy) || row.created_by }
      : row,
  )
  return changed(issue, replaced, now)
}

function endpoints(memory: IssueMemory, edge: EdgeName): Issue | IssueRefusal {
  const issue = memory.get(edge.issueId)
  if (!issue) return issueNotFound(edge.issueId, memory)
  if (edge.issueId === edge.dependsOnId) {
    const remedy = 'Name two issues.'
    return refuse('dependency_self', `${edge.issueId} cannot depend on itself`, remedy)
  }
  return memory.has(edge.dependsOnId) ? issue : issueNotFound(edge.dependsOnId, memory)
}

const isRedundant = (memory: IssueMemory, { issueId, dependsOnId, type }: EdgeName) =>
  type === 'blocks' && isRedundantBlock(memory, issueId, dependsOnId)

const named = (edge: EdgeName) => (row: Dependency) =>
  row.depends_on_id === edge.dependsOnId && row.type === edge.type

const edgeText = ({ issueId, dependsOnId, type }: EdgeName) =>
  `${issueId} -> ${dependsOnId} (${type})`

const edgeNotFound = (edge: EdgeName) =>
  refuse(
    'dependency_not_found',
    `dependency not found: ${edgeText(edge)}`,
    'premath dep tree shows the edges.',
  )

function changed(issue: Issue, dependencies: readonly Dependency[], now: bigint): EdgeChanged {
  const row = { ...stamped(issue, now), dependencies }
  return { rows: [row], issue: row }
}
