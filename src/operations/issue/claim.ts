import { changeFields, idField, termFields } from '../../input/issue-fields.ts'
import { openProject } from '../../project/open.ts'
import { claimedIssue, claimedPage } from '../../render/issues/issue-claimed.ts'
import { changeIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

export const issueClaim = operation({
  group: 'issue',
  summary: 'Claim an issue, under a lease.',
  description:
    'Assigns the issue, sets it in progress and gives it a lease. A lease that ran out is taken over, and the answer names who held it. Each time an issue is acquired its fence grows: changes carry lease id and fence, so that a worker that was thought dead changes nothing. Claiming again as the holder keeps both and counts the time anew. Exits 4 when somebody else holds it.',
  effect: 'mutation',
  opId: 'op/mcp.issue_claim',
  input: {
    ...idField,
    assignee: { type: 'text', describe: 'Who claims.', placeholder: 'name', required: true },
    leaseId: { type: 'text', describe: 'A name for the lease.', placeholder: 'id' },
    ...termFields,
    ...changeFields,
  },
  examples: [
    { command: 'premath issue claim bd-1 --assignee me', shows: 'the lease and its fence' },
    {
      command: 'premath issue claim bd-1 --assignee me --lease-ttl-seconds 600 --json',
      shows: 'a lease of ten minutes, for a program',
    },
  ],

  async run({ id, assignee, leaseId, leaseTtlSeconds, leaseExpiresAt, ...rest }, context) {
    const claim = { assignee, leaseId, ttlSeconds: leaseTtlSeconds, expiresAt: leaseExpiresAt }
    const change = { action: 'issue.claim', id, claim } as const
    const project = await openProject(context)
    return await changeIssues(project, rest, change, changed => ({
      output: claimedIssue(changed),
      text: page => claimedPage('Claimed', changed, page),
    }))
  },
})
