import type { Lease } from '../../wire/issue/issue.ts'
import { instantOf } from '../timestamp.ts'
import type { Issue } from './issue.ts'

type LeaseState = 'unleased' | 'active' | 'stale'

export function leaseStateAt(lease: Lease | undefined, now: bigint): LeaseState {
  if (!lease) return 'unleased'
  return (instantOf(lease.expires_at) ?? 0n) > now ? 'active' : 'stale'
}

/** True if the lease is held, but the issue is not in progress or is assigned to someone else. */
export function isContended(issue: Issue, now: bigint): boolean {
  return (
    leaseStateAt(issue.lease, now) === 'active' &&
    (issue.status !== 'in_progress' || issue.assignee !== issue.lease?.owner)
  )
}
