import { textField } from '../../field.ts'
import { changeFields, idField, proofFields, termFields } from '../../input/issue-fields.ts'
import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { claimedPage, leasedIssue } from '../../render/issues/issue-claimed.ts'
import { LeaseRenewAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { operation } from '../operation.ts'

export const issueLeaseRenew = operation({
  group: 'issue',
  summary: 'Renew a lease before it expires.',
  description:
    'Restarts the term; lease id and fence stay. An expired lease cannot be renewed, only claimed again. Exits 4 if you no longer hold the lease.',
  effect: 'mutation',
  opId: 'op/mcp.issue_lease_renew',
  input: {
    ...idField,
    assignee: textField('name', 'The holder.', { required: true }),
    ...proofFields,
    ...termFields,
    ...changeFields,
  },
  output: LeaseRenewAnswer,
  examples: {
    'premath issue lease-renew bd-1 --assignee me --lease-id lease1_bd-1_me --fence 1 --lease-ttl-seconds 600':
      'the lease with its new expiry',
  },

  async run({ id, assignee, leaseTtlSeconds, leaseExpiresAt, ...rest }, context) {
    const project = await openProject(context)
    const proof = { ...(await proofOf(id, rest, project)), assignee }
    const term = { ttlSeconds: leaseTtlSeconds, expiresAt: leaseExpiresAt }
    const change = { action: 'issue.lease_renew', id, proof, term } as const
    return await changeIssues(project, rest, change, changed => ({
      output: leasedIssue(changed),
      text: page => claimedPage('Renewed', changed, page),
    }))
  },
})
