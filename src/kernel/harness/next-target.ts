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

/** A better issue that the worker may not claim, and the class of the refusal. */
export interface PassedOver {
  readonly issueId: string
  readonly failureClass: string
}

export interface ChosenTarget {
  readonly target: NextTarget | undefined
  /** The first of those that were passed over, best first. */
  readonly passedOver: readonly PassedOver[]
  readonly passedOverCount: number
}

const passedOverMax = 20

/** `refusalOf` gives the class with which the policy refuses the caller a claim of the issue. */
export function chooseTarget(
  memory: IssueMemory,
  workerId: string,
  now: bigint,
  refusalOf: (issueId: string) => string | undefined = () => undefined,
): ChosenTarget {
  const held = heldBy(memory, workerId, now)
  if (held) return { target: targetOf(held, 'held'), passedOver: [], passedOverCount: 0 }
  const passedOver: PassedOver[] = []
  let passedOverCount = 0
  for (const offer of offered(memory, now)) {
    const isOthers = offer.assignee !== '' && offer.assignee !== workerId && !offer.left
    const failureClass = refusalOf(offer.id) ?? (isOthers ? 'lease_contention_active' : undefined)
    if (failureClass === undefined) {
      return {
        target: targetOf(offer, offer.left ? 'reclaim' : 'ready'),
        passedOver,
        passedOverCount,
      }
    }
    passedOverCount++
    if (passedOver.length < passedOverMax) passedOver.push({ issueId: offer.id, failureClass })
  }
  return { target: undefined, passedOver, passedOverCount }
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
