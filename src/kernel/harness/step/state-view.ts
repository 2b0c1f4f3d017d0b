/** The state view: everything that decides whether an attempt may begin, read at one moment. */
import { type StateView, stateViewKind } from '../../../wire/harness/state-view.ts'
import type { Sha256 } from '../../canonical.ts'
import { openBlockersOf } from '../../issues/graph/blocked.ts'
import { fenceOf, type Issue, printIssue } from '../../issues/issue.ts'
import type { IssueMemory } from '../../issues/issue-memory.ts'
import { timestampOf } from '../../timestamp.ts'

/** The view before the attempt. Its tree is read later, because no decision needs it. */
export type SeenState = Omit<StateView, 'treeDigest'>

interface ViewFacts extends Pick<StateView, 'stepId' | 'attempt' | 'claim' | 'policy' | 'asked'> {
  readonly issueId: string
  readonly memory: IssueMemory
  readonly now: bigint
}

export function seenState(
  { issueId, memory, now, ...facts }: ViewFacts,
  sha256: Sha256,
): SeenState {
  const issue = memory.get(issueId)
  return {
    schema: 1,
    viewKind: stateViewKind,
    ...facts,
    readAt: timestampOf(now),
    issue: issue
      ? { id: issue.id, status: issue.status, rowDigest: `sha256:${sha256(printIssue(issue))}` }
      : null,
    blockers: issue
      ? openBlockersOf(memory, issue).map(({ dependsOnId, blockerStatus }) => ({
          issueId: dependsOnId,
          status: blockerStatus,
        }))
      : [],
    lease: issue ? leaseIn(issue) : null,
  }
}

const leaseIn = (issue: Issue): StateView['lease'] =>
  issue.lease
    ? {
        owner: issue.lease.owner,
        leaseId: issue.lease.lease_id,
        fence: fenceOf(issue),
        expiresAt: issue.lease.expires_at,
      }
    : null
