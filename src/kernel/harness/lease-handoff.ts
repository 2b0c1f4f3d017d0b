/** The state in which a step leaves its lease, the recovery for it, and a ref with its digest. */
import { canonicalJson, type Sha256 } from '../canonical.ts'
import type { Issue } from '../issues/issue.ts'
import { isContended, leaseStateAt } from '../issues/lease-state.ts'
import { shellWord } from '../text/shell-word.ts'

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
}

const recoveries: Readonly<Record<HandoffState, Recovery>> = {
  active: { leaseAction: 'issue_lease_renew', resultClass: 'retry_needed_lease_active' },
  stale: { leaseAction: 'issue_claim_next_reclaim', resultClass: 'retry_needed_lease_stale' },
  contended: { leaseAction: 'issue_lease_release', resultClass: 'retry_needed_lease_contended' },
  released: { leaseAction: 'claim_next', resultClass: 'failed_issue_closed' },
  unleased: { leaseAction: 'reconcile', resultClass: 'failed_lease_missing' },
  missing_issue: { leaseAction: 'stop', resultClass: 'failed_issue_missing' },
  closed_with_lease: { leaseAction: 'stop', resultClass: 'failed_lease_invariant' },
}

export const recoveryOf = (state: HandoffState): Recovery => recoveries[state]

/** Only the worker that holds the lease may continue, so its command names it. */
export const continueCommand = (issueId: string, workerId: string): string =>
  `premath harness-step --worker ${shellWord(workerId)} --issue ${issueId}`

export function nextStepIn(state: HandoffState, issueId: string, workerId: string): string {
  switch (state) {
    case 'active':
      return `continue with the issue: ${continueCommand(issueId, workerId)}`
    case 'unleased':
    case 'stale':
      return `claim the issue again: premath harness-step --issue ${issueId}`
    case 'contended':
      return 'release the lease, then claim again'
    case 'released':
      return 'claim next ready issue'
    case 'missing_issue':
      return 'search for the issue: premath issue list'
    case 'closed_with_lease':
      return 'repair the row: premath doctor'
  }
}

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
