/**
 * Decides the row of a revert that begins. The issue is in progress from then on, so its dependents
 * wait, and under a lease, so the next start finds it.
 */
import { landedOf } from '../../proof/proof-chain.ts'
import { seconds, timestampOf } from '../../timestamp.ts'
import type { Issue } from '../issue.ts'
import { stamped } from '../issue-edit.ts'
import type { IssueMemory } from '../issue-memory.ts'
import { closeOf, withMetadata } from '../issue-metadata.ts'
import { type IssueRefusal, issueNotFound, refuse } from '../issue-refusal.ts'
import { defaultLeaseId } from '../lease.ts'
import { leaseTtlSecondsDefault } from '../lease-term.ts'
import { isSamePlan, planRefusal } from './landing.ts'
import { type LandingPlan, landingOf, landingRefusal, type Revert } from './landing-state.ts'
import { revertedOf } from './revert.ts'

/** The name under which it holds the lease. */
export const revertWorker = 'revert'

export function beginRevert(
  memory: IssueMemory,
  id: string,
  { landing, revert }: { readonly landing: LandingPlan; readonly revert: Revert },
  now: bigint,
): { readonly rows: readonly Issue[]; readonly issue: Issue } | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id)
  const begun = landingOf(issue)
  if (begun?.revert && isSamePlan(begun, landing)) return { rows: [], issue }
  const refused =
    landingRefusal(issue) ?? revertRefusal(issue, revert.landed) ?? planRefusal(landing)
  if (refused) return refused
  const { commit, base, tree, target } = landing
  const { landed, reason } = revert
  const at = timestampOf(now)
  const premathLanding = {
    commit,
    base,
    tree,
    target,
    close: closeOf(issue) ?? {},
    closedAt: issue.closed_at ?? at,
    revert: { landed, ...(reason !== undefined && { reason }) },
  }
  const begins = {
    ...stamped(issue, now),
    status: 'in_progress',
    closed_at: undefined,
    lease: {
      lease_id: defaultLeaseId(id, revertWorker),
      owner: revertWorker,
      acquired_at: at,
      expires_at: timestampOf(now + seconds(leaseTtlSecondsDefault)),
    },
    metadata: withMetadata(issue, { premathLanding }),
  }
  return { rows: [begins], issue: begins }
}

/** Why nothing of the issue can be reverted; also where it closed with another commit meanwhile. */
export function revertRefusal(issue: Issue, commit?: string): IssueRefusal | undefined {
  const { id, status } = issue
  const landed = landedOf(issue)
  if (landed && (commit === undefined || commit === landed.commit)) return undefined
  const show = `premath issue show ${id} shows its state.`
  if (landed) {
    const diagnostic = `${id} is closed with commit ${landed.commit} by now, not with ${commit}`
    return refuse('issue_not_landed', diagnostic, 'Run the command again to revert that commit.')
  }
  if (status === 'closed') {
    const diagnostic = `${id} was closed without a commit on a target, so there is nothing to revert`
    return refuse('issue_not_landed', diagnostic, `To open it again: premath reopen ${id}.`)
  }
  const reverted = revertedOf(issue)
  const why = reverted
    ? `: commit ${reverted.commit} on ${reverted.target} reverted it`
    : ' and has not landed, so there is nothing to revert'
  return refuse('issue_not_landed', `${id} is ${status}${why}`, show)
}
