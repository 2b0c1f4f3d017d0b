import { textField } from '../../field.ts'
import { changeFields, idField, termFields } from '../../input/issue-fields.ts'
import { callerIn } from '../../project/authority/authority.ts'
import { openProject } from '../../project/open.ts'
import { claimedIssue, claimedPage } from '../../render/issues/issue-claimed.ts'
import { ClaimAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { workOffLeft } from '../left-closes.ts'
import { operation } from '../operation.ts'

export const issueClaim = operation({
  group: 'issue',
  summary: 'Claim an issue with a lease.',
  description:
    'Assigns the issue, sets it to in_progress and grants a lease. An expired lease is taken over, and the answer names its last holder. Each new claim increases the fence. Changes carry the lease id and the fence, so a worker with an old lease cannot change the issue. Claiming again as the holder keeps both and restarts the term. An issue that waits for others can be claimed; the answer says so, with --json in blockers. Exits 4 if another worker holds the issue.',
  effect: 'mutation',
  opId: 'op/mcp.issue_claim',
  input: {
    ...idField,
    assignee: textField(
      'name',
      'The name of the worker. Defaults to PREMATH_OPERATOR or the name of the user.',
    ),
    leaseId: textField('id', 'A name for the lease.'),
    ...termFields,
    ...changeFields,
  },
  output: ClaimAnswer,
  examples: {
    'premath issue claim bd-1': 'the lease and its fence, under your own name',
    'premath issue claim bd-1 --assignee me': 'the lease and its fence',
    'premath issue claim bd-1 --assignee me --lease-ttl-seconds 600 --json':
      'a lease of ten minutes, as JSON',
  },

  async run({ id, assignee, leaseId, leaseTtlSeconds, leaseExpiresAt, ...rest }, context) {
    const claim = {
      assignee: assignee ?? callerIn(context),
      leaseId,
      ttlSeconds: leaseTtlSeconds,
      expiresAt: leaseExpiresAt,
    }
    const change = { action: 'issue.claim', id, claim } as const
    const project = await openProject(context)
    await workOffLeft(project)
    return await changeIssues(project, rest, change, changed => ({
      output: claimedIssue(changed),
      text: page => claimedPage('Claimed', changed, page),
    }))
  },
})
