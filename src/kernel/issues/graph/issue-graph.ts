/** Paths through dependencies. Iterative, because a chain may be longer than the stack. */
import { byCodePoint } from '../../canonical.ts'
import type { Issue } from '../issue.ts'
import type { IssueMemory } from '../issue-memory.ts'
import { isActive } from '../issue-status.ts'

/** `active` sees issues that are open or in progress and the edges between them; `full` all. */
export const graphScopes = ['active', 'full'] as const
export type GraphScope = (typeof graphScopes)[number]

/** Issue ids with their targets: unique, sorted and present in the graph. */
export type IssueGraph = ReadonlyMap<string, readonly string[]>

export function issueGraph(memory: IssueMemory, scope: GraphScope): IssueGraph {
  const inScope = (issue: Issue | undefined) =>
    issue !== undefined && (scope === 'full' || isActive(issue))
  return new Map(
    memory
      .all()
      .filter(inScope)
      .map(({ id }) => [id, targetsOf(memory, id).filter(target => inScope(memory.get(target)))]),
  )
}

/** Targets of an issue's edges of every type, each once, by id. */
export function targetsOf(memory: IssueMemory, id: string): readonly string[] {
  const edges = memory.get(id)?.dependencies ?? []
  const targets = edges.map(row => row.depends_on_id)
  return targets.length < 2 ? targets : [...new Set(targets)].sort(byCodePoint)
}

/** The shortest path; the first by id among equals if the targets are sorted. */
export function pathBetween(
  from: string,
  to: string,
  targets: (id: string) => readonly string[],
): readonly string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]])
  const queue = [from]
  for (let at = 0; at < queue.length; at++) {
    const id = queue[at] as string
    if (id === to) return pathTo(cameFrom, to)
    for (const target of targets(id)) {
      if (cameFrom.has(target)) continue
      cameFrom.set(target, id)
      queue.push(target)
    }
  }
  return undefined
}

function pathTo(cameFrom: ReadonlyMap<string, string | undefined>, end: string): string[] {
  const path: string[] = []
  for (let id: string | undefined = end; id !== undefined; id = cameFrom.get(id)) path.push(id)
  return path.reverse()
}
