/** The state in which a step leaves its lease, the recovery for it, and a ref with its digest. */
import { canonicalJson, type Sha256 } from '../canonical.ts'
import type { Issue } from '../issues/issue.ts'
import { isContended, leaseStateAt } from '../issues/lease-state.ts'

export type HandoffState =
  | 'missing_issue'
  | 'closed_with_lease'
  | 'released'
  | 'unleased'
  | 'stale'
  | 'contended'
  | 'active'

export function handoffState(issue: Issue | undefined, now: bigint): HandoffState {
  if (!issue) return 'missing_issue'
  if (issue.status === 'closed') return issue.lease ? 'closed_with_lease' : 'released'
  if (!issue.lease) return 'unleased'
  if (leaseStateAt(issue.lease, now) === 'stale') return 'stale'
  return isContended(issue, now) ? 'contended' : 'active'
}

/** How to continue with an issue that its step did not finish. */
interface Recovery {
  readonly leaseAction: string
  readonly resultClass: string
  readonly nextStep: string
}

const recoveries: Readonly<Record<HandoffState, Recovery>> = {
  active: {
    leaseAction: 'issue_lease_renew',
    resultClass: 'retry_needed_lease_active',
    nextStep: 'renew the lease and retry, or release it',
  },
  stale: {
    leaseAction: 'issue_claim_next_reclaim',
    resultClass: 'retry_needed_lease_stale',
    nextStep: 'claim the issue again: premath issue claim-next',
  },
  contended: {
    leaseAction: 'issue_lease_release',
    resultClass: 'retry_needed_lease_contended',
    nextStep: 'release the lease, then claim again',
  },
  released: {
    leaseAction: 'claim_next',
    resultClass: 'failed_issue_closed',
    nextStep: 'claim next ready issue',
  },
  unleased: {
    leaseAction: 'reconcile',
    resultClass: 'failed_lease_missing',
    nextStep: 'find out why the lease was released: premath issue show',
  },
  missing_issue: {
    leaseAction: 'stop',
    resultClass: 'failed_issue_missing',
    nextStep: 'search for the issue: premath issue list',
  },
  closed_with_lease: {
    leaseAction: 'stop',
    resultClass: 'failed_lease_invariant',
    nextStep: 'repair the row: premath doctor',
  },
}

export const recoveryOf = (state: HandoffState): Recovery => recoveries[state]

/** The content of a lease ref. It has no times, so that equal ends have equal refs. */
interface LeaseHandoff {
  readonly issueId: string
  readonly workerId: string
  readonly leaseId: string
  readonly leaseOwner: string
  readonly leaseState: HandoffState
  readonly leaseAction: string
  readonly status: string
  readonly assignee: string
}

/** Returns `lease://handoff/<issue>/<state>/<digest>`. */
export function leaseRef(handoff: LeaseHandoff, sha256: Sha256): string {
  const digest = sha256(canonicalJson({ ...handoff }))
  return `lease://handoff/${handoff.issueId}/${handoff.leaseState}/${digest}`
}
