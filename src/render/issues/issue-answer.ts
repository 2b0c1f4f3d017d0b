/** Renders issues, leases and refusals for the issue commands. */

import { type Answer, type ExitCode, refusedAnswer } from '../../answer.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import type { IssueRefusal } from '../../kernel/issues/issue-refusal.ts'
import { isConflict } from '../../kernel/issues/refusal-classes.ts'
import { withOffset } from '../../kernel/timestamp.ts'
import type { Lease } from '../../wire/issue/issue.ts'

export const exitOfRefusal = ({ failureClass }: Pick<IssueRefusal, 'failureClass'>): ExitCode =>
  isConflict(failureClass) ? 4 : 1

/** A refusal: JSON on stdout, a message on stderr. */
export function rejected(
  action: string,
  issuesPath: string,
  refusal: IssueRefusal,
): Answer<Readonly<Record<string, unknown>>> {
  const { failureClass, turnClasses = [] } = refusal
  const failureClasses = [failureClass, ...turnClasses]
  const exitCode = exitOfRefusal(refusal)
  return refusedAnswer({ action, issuesPath }, { ...refusal, failureClasses, exitCode })
}

export const errorOfRefusal = ({ failureClass, diagnostic, remedy }: IssueRefusal) => ({
  code: failureClass,
  message: diagnostic,
  hint: remedy,
})

export const briefOf = ({ id, title, status, priority, issue_type, assignee, owner }: Issue) => ({
  assignee,
  id,
  issueType: issue_type,
  owner,
  priority,
  status,
  title,
})

/** A lease with the fence that changes under it must carry. */
export const leaseOf = (lease: Lease, issue: Issue) => ({
  ...holderOf(lease),
  fence: fenceOf(issue),
})

/** An expired lease has no fence to offer. */
export const holderOf = ({ lease_id, owner, acquired_at, expires_at, renewed_at }: Lease) => ({
  acquiredAt: withOffset(acquired_at),
  expiresAt: withOffset(expires_at),
  leaseId: lease_id,
  owner,
  renewedAt: renewed_at === undefined ? null : withOffset(renewed_at),
})
