/** The stop policy: decides from the state view alone whether an attempt may begin. */
import type { StopClass } from '../../../wire/run/run-event.ts'
import { instantOf } from '../../timestamp.ts'
import type { SeenState } from './state-view.ts'
import { leaseLostClass, stoppedClass } from './step-decision.ts'

export interface Stop {
  readonly failureClass: StopClass
  /** For people. */
  readonly why: string
  readonly next: string
}

/** Returns the first reason against an attempt, or `undefined` if it may begin. */
export function stopOf(view: SeenState): Stop | undefined {
  return stopRequested(view) ?? stopByIssue(view) ?? stopByLease(view) ?? stopByPolicy(view)
}

function stopRequested({ asked }: SeenState): Stop | undefined {
  const next = 'Run the command again.'
  switch (asked) {
    case 'stop':
      return { failureClass: stoppedClass, why: 'the process was asked to stop', next }
    case 'pause':
      return { failureClass: 'run_paused', why: 'the run is paused', next }
    case 'drain':
      return { failureClass: 'run_draining', why: 'the run ends after its running attempts', next }
    default:
      return undefined
  }
}

function stopByIssue({ issue, blockers }: SeenState): Stop | undefined {
  if (issue === null) {
    const next = 'Restore issue memory from version control if the issue was removed by mistake.'
    return { failureClass: 'issue_missing', why: 'the issue does not exist any more', next }
  }
  if (issue.status === 'closed') {
    const next = `Open it again if work is left: premath issue update ${issue.id} --status open.`
    return { failureClass: 'issue_closed', why: 'the issue was closed elsewhere', next }
  }
  const waits = blockers.map(({ issueId }) => issueId)
  if (waits.length === 0 && issue.status !== 'blocked') return undefined
  const why = waits.length > 0 ? `it waits for ${waits.join(', ')}` : 'its status is blocked'
  const next = `Show what it waits for: premath issue show ${issue.id}.`
  return { failureClass: 'issue_blocked', why: `the issue is blocked: ${why}`, next }
}

function stopByLease({ claim, issue, lease, readAt }: SeenState): Stop | undefined {
  const isOurs =
    lease?.owner === claim.workerId &&
    lease.leaseId === claim.leaseId &&
    lease.fence === claim.fence
  const isExpired =
    lease !== null && (instantOf(lease.expiresAt) ?? 0n) <= (instantOf(readAt) ?? 0n)
  if (isOurs && !isExpired) return undefined
  const why = isOurs
    ? `the lease expired at ${lease?.expiresAt}`
    : `the lease belongs to ${lease?.owner ?? 'nobody'}`
  const next = `Show its current owner: premath issue show ${issue?.id}.`
  return { failureClass: leaseLostClass, why, next }
}

/** The turn of the step is bound to its policy, so under another one it could close nothing. */
function stopByPolicy({ policy }: SeenState): Stop | undefined {
  const { refusal, digest, boundDigest } = policy
  if (refusal === null && digest === boundDigest) return undefined
  return {
    failureClass: 'policy_changed',
    why: `the policy has changed since the step began${refusal === null ? '' : `: ${refusal}`}`,
    next: 'Show the policy in force: premath policy show.',
  }
}
