import { memoryFields } from '../../input/issue-fields.ts'
import { byCodePoint } from '../../kernel/canonical.ts'
import { isContended, leaseStateAt } from '../../kernel/issues/lease-state.ts'
import { timestampOf, withOffset } from '../../kernel/timestamp.ts'
import { openProject } from '../../project/open.ts'
import { leaseOf } from '../../render/issues/issue-answer.ts'
import { countLine, table } from '../../render/table.ts'
import { LeaseProjectionAnswer } from '../../wire/answers/issue-lists.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const issueLeaseProjection = operation({
  group: 'issue',
  summary: 'List leases and their state.',
  description:
    'A lease is stale if it has expired. It is contended if it is active while the issue is not in progress or is assigned to someone else.',
  effect: 'read',
  opId: 'op/mcp.issue_lease_projection',
  input: { ...memoryFields },
  output: LeaseProjectionAnswer,
  examples: { 'premath issue lease-projection': 'every lease and its state' },

  async run({ issues }, context) {
    const { issuesPath, memory, now, notices } = await readIssueMemory(await openProject(context), {
      issues,
    })
    const items = memory
      .leased()
      .toSorted((a, b) => byCodePoint(a.id, b.id))
      .flatMap(issue => {
        const { id, status, assignee, lease } = issue
        if (!lease) return []
        const state = leaseStateAt(lease, now)
        const shown = { ...leaseOf(lease, issue), state }
        return { assignee, contended: isContended(issue, now), id, lease: shown, status }
      })
    const staleIssueIds = items.filter(({ lease }) => lease.state === 'stale').map(({ id }) => id)
    const contendedIssueIds = items.filter(item => item.contended).map(({ id }) => id)
    return {
      output: {
        action: 'issue.lease_projection',
        count: items.length,
        issuesPath,
        items,
        projection: {
          checkedAt: withOffset(timestampOf(now)),
          contendedCount: contendedIssueIds.length,
          contendedIssueIds,
          staleCount: staleIssueIds.length,
          staleIssueIds,
        },
      },
      yes: true,
      ...notices,
      render: page =>
        table(
          ['id', 'state', 'owner', 'fence', 'until'],
          items.map(({ id, contended, lease }) => [
            id,
            contended ? 'contended' : lease.state,
            lease.owner,
            String(lease.fence),
            lease.expiresAt,
          ]),
          page,
          ['fence', 'until'],
        ) + countLine({ count: items.length }, 'lease', page),
    }
  },
})
