/** The issue that a new agent is briefed on, if nobody names one. */
import type { Issue } from '../issues/issue.ts'
import type { IssueMemory } from '../issues/issue-memory.ts'
import { leaseStateAt } from '../issues/lease-state.ts'
import { heldBy } from './next-target.ts'

interface Asking {
  /** The name under which the caller claims issues, if it gave one. */
  readonly workerId: string | undefined
  /** The issue of the session. */
  readonly sessionIssueId: string | undefined
}

/**
 * The claim of the worker, else the issue of the session while it is claimed, else the only claim
 * there is. A session outlives its claim, so its issue comes last if it is free.
 */
export function issueInWork(
  memory: IssueMemory,
  { workerId, sessionIssueId }: Asking,
  now: bigint,
): Issue | undefined {
  const own = workerId === undefined ? undefined : heldBy(memory, workerId, now)
  if (own) return own
  const claimed = memory
    .leased()
    .filter(
      ({ status, lease }) => status === 'in_progress' && leaseStateAt(lease, now) === 'active',
    )
  const [only, ...others] = claimed
  const ofSession = sessionIssueId === undefined ? undefined : memory.get(sessionIssueId)
  if (ofSession && claimed.some(({ id }) => id === ofSession.id)) return ofSession
  // A worker that gave its name knows that the claims of others are not its own.
  if (only && others.length === 0 && workerId === undefined) return only
  return ofSession?.status === 'closed' ? undefined : ofSession
}
