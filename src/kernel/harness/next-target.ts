/** The next issue for a worker: one it holds, otherwise one that is offered. */
import type { Issue } from '../issues/issue.ts'
import type { IssueMemory } from '../issues/issue-memory.ts'
import { isLanding } from '../issues/landing/landing-state.ts'
import { leaseStateAt } from '../issues/lease-state.ts'
import { offered } from '../issues/offered.ts'

export interface NextTarget {
  readonly issueId: string
  readonly title: string
  readonly priority: number
  /** `held`: this worker has an active lease on it. */
  readonly why: 'held' | 'ready' | 'reclaim'
}

/** `mayClaim` is true for an issue that the policy lets the caller claim. */
export function nextTarget(
  memory: IssueMemory,
  workerId: string,
  now: bigint,
  mayClaim: (issueId: string) => boolean = () => true,
): NextTarget | undefined {
  const held = heldBy(memory, workerId, now)
  if (held) return targetOf(held, 'held')
  for (const offer of offered(memory, now)) {
    if (!mayClaim(offer.id)) continue
    if (offer.left) return targetOf(offer, 'reclaim')
    if (offer.assignee === '' || offer.assignee === workerId) return targetOf(offer, 'ready')
  }
  return undefined
}

/** A restarted worker finds its issue by its own name. The work on one that is landing is done. */
export function heldBy(memory: IssueMemory, workerId: string, now: bigint): Issue | undefined {
  return allHeldBy(memory, workerId, now).find(issue => !isLanding(issue))
}

/** Sorted by priority, then id. */
export function allHeldBy(memory: IssueMemory, workerId: string, now: bigint): readonly Issue[] {
  const held = allLeasedTo(memory, workerId).filter(
    ({ lease, status }) => status === 'in_progress' && leaseStateAt(lease, now) === 'active',
  )
  return held.sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))
}

/** Also those whose lease expired. */
export const allLeasedTo = (memory: IssueMemory, workerId: string): readonly Issue[] =>
  memory.leased().filter(({ lease }) => lease?.owner === workerId)

const targetOf = (
  { id, title, priority }: Pick<Issue, 'id' | 'title' | 'priority'>,
  why: NextTarget['why'],
): NextTarget => ({ issueId: id, title, priority, why })
