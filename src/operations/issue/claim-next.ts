import { textField } from '../../field.ts'
import { changeFields, termFields } from '../../input/issue-fields.ts'
import { openProject } from '../../project/open.ts'
import { claimedIssue, claimedPage } from '../../render/issues/issue-claimed.ts'
import { ClaimNextAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { workOffLeft } from '../left-closes.ts'
import { operation } from '../operation.ts'

export const issueClaimNext = operation({
  group: 'issue',
  summary: 'Claim the next ready issue.',
  description:
    'Claims the first free issue that premath issue ready lists: by priority, then by id, expired claims included. If nothing is ready, the answer says claimed: false and the exit code is 0. A lock conflict is never reported that way.',
  effect: 'mutation',
  opId: 'op/transport.issue_claim_next',
  input: {
    assignee: textField('name', 'The name of the worker.', { required: true }),
    leaseId: textField('id', 'A name for the lease.'),
    ...termFields,
    ...changeFields,
  },
  output: ClaimNextAnswer,
  examples: {
    'premath issue claim-next --assignee me --json': 'the issue, its lease and its fence',
  },

  async run({ assignee, leaseId, leaseTtlSeconds, leaseExpiresAt, ...rest }, context) {
    const claim = { assignee, leaseId, ttlSeconds: leaseTtlSeconds, expiresAt: leaseExpiresAt }
    const change = { action: 'issue.claim_next', claim } as const
    const project = await openProject(context)
    await workOffLeft(project)
    return await changeIssues(project, rest, change, changed => ({
      output: { claimed: changed.issue !== undefined, ...claimedIssue(changed) },
      text: page =>
        changed.issue ? claimedPage('Claimed', changed, page) : 'No issue is ready and free.\n',
    }))
  },
})
