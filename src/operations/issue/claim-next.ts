import { changeFields, termFields } from '../../input/issue-fields.ts'
import { openProject } from '../../project/open.ts'
import { claimedIssue, claimedPage } from '../../render/issues/issue-claimed.ts'
import { changeIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

export const issueClaimNext = operation({
  group: 'issue',
  summary: 'Claim the next issue there is to do.',
  description:
    'Takes the first of what premath issue ready lists that nobody else has: by priority, then by id, work that was left behind included. When there is nothing to do the answer says claimed: false and the exit code is 0; a busy memory is never reported like that.',
  effect: 'mutation',
  input: {
    assignee: { type: 'text', describe: 'Who claims.', placeholder: 'name', required: true },
    leaseId: { type: 'text', describe: 'A name for the lease.', placeholder: 'id' },
    ...termFields,
    ...changeFields,
  },
  examples: [
    {
      command: 'premath issue claim-next --assignee me --json',
      shows: 'the issue, its lease and its fence',
    },
  ],

  async run({ assignee, leaseId, leaseTtlSeconds, leaseExpiresAt, ...rest }, context) {
    const claim = { assignee, leaseId, ttlSeconds: leaseTtlSeconds, expiresAt: leaseExpiresAt }
    const change = { action: 'issue.claim_next', claim } as const
    const project = await openProject(context)
    return await changeIssues(project, rest, change, changed => ({
      output: { claimed: changed.issue !== undefined, ...claimedIssue(changed) },
      text: page =>
        changed.issue
          ? claimedPage('Claimed', changed, page)
          : 'There is nothing to do: no issue is ready and free.\n',
    }))
  },
})
