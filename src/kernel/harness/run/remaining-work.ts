/** The open issues when none can be claimed, and the reasons. */
import { blockedIssues } from '../../issues/graph/blocked.ts'
import type { Issue } from '../../issues/issue.ts'
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { isLanding, landingOf } from '../../issues/landing/landing-state.ts'
import { leaseStateAt } from '../../issues/lease-state.ts'

export interface RemainingWork {
  /** The number of issues that are not closed. */
  readonly open: number
  /** Issues that other issues block, and issues with status blocked. */
  readonly blocked: readonly string[]
  /** The issues that each of them waits for directly. Issues that wait for nothing are left out. */
  readonly waits: readonly { readonly id: string; readonly on: readonly string[] }[]
  /** The issues at the ends of the blocking chains, which need action. */
  readonly blockers: readonly string[]
  /** Issues with status blocked. */
  readonly marked: readonly string[]
  /** Ready issues that are assigned to a worker, as `id (worker)`. */
  readonly named: readonly string[]
  /** Leased issues, as `id (owner until time)`, and landing or reverting ones, as `id (landing on branch)`. */
  readonly held: readonly string[]
}

export function remainingWork(memory: IssueMemory, now: bigint): RemainingWork {
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
    waits: waiting
      .filter(({ blockers }) => blockers.length > 0)
      .map(({ issue, blockers }) => ({
        id: issue.id,
        on: [...new Set(blockers.map(({ dependsOnId }) => dependsOnId))],
      })),
    blockers: [...new Set(targets.filter(id => !waits.has(id)))],
    marked,
    named: [...memory.ready()]
      .filter(({ assignee }) => assignee !== '')
      .map(({ id, assignee }) => `${id} (${assignee})`),
    held: memory
      .leased()
      .filter(issue => leaseStateAt(issue.lease, now) === 'active' || isLanding(issue))
      .map(heldAs),
  }
}

function heldAs(issue: Issue): string {
  const { id, lease } = issue
  const landing = landingOf(issue)
  if (landing) return `${id} (${landing.revert ? 'reverting' : 'landing'} on ${landing.target})`
  return `${id} (${lease?.owner} until ${lease?.expires_at})`
}

/** Shortens a list to fit on a line. */
export function shortList(names: readonly string[], most = 5): string {
  const rest = names.length - most
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ')
}
