/** What is left when nothing can be taken, and what it waits for. */
import { blockedIssues } from '../../issues/graph/blocked.ts'
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { leaseStateAt } from '../../issues/lease-state.ts'

export interface LeftWork {
  /** Issues that are not closed. */
  readonly open: number
  /** Those that wait for others, or were marked so. */
  readonly blocked: readonly string[]
  /** What they wait for and nobody closes by waiting: the ends of the chains. */
  readonly blockers: readonly string[]
  /** Marked as blocked by somebody, whatever they wait for. */
  readonly marked: readonly string[]
  /** Ready, but somebody is named for it: `id (name)`. */
  readonly named: readonly string[]
  /** Held by somebody, `id (holder until time)`. */
  readonly held: readonly string[]
}

export function leftWork(memory: IssueMemory, now: bigint): LeftWork {
  const open = memory.all().filter(({ status }) => status !== 'closed')
  const waiting = blockedIssues(memory)
  const waits = new Set(
    waiting.filter(({ blockers }) => blockers.length > 0).map(({ issue }) => issue.id),
  )
  const targets = waiting.flatMap(({ blockers }) => blockers.map(({ dependsOnId }) => dependsOnId))
  const marked = waiting.filter(({ manualBlocked }) => manualBlocked).map(({ issue }) => issue.id)
  return {
    open: open.length,
    blocked: waiting.map(({ issue }) => issue.id),
    blockers: [...new Set(targets.filter(id => !waits.has(id)))],
    marked,
    named: [...memory.ready()]
      .filter(({ assignee }) => assignee !== '')
      .map(({ id, assignee }) => `${id} (${assignee})`),
    held: memory
      .leased()
      .filter(({ lease }) => leaseStateAt(lease, now) === 'active')
      .map(({ id, lease }) => `${id} (${lease?.owner} until ${lease?.expires_at})`),
  }
}

/** A few of many, for a line. */
export function few(names: readonly string[], most = 5): string {
  const rest = names.length - most
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ')
}
