import { textField } from '../../field.ts'
import { changeFields, idField, proofFields } from '../../input/issue-fields.ts'
import { visible } from '../../kernel/text/visible.ts'
import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { briefOf } from '../../render/issues/issue-answer.ts'
import { LeaseReleaseAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { operation } from '../operation.ts'

export const issueLeaseRelease = operation({
  group: 'issue',
  summary: 'Release a claimed issue.',
  description:
    'Ends the lease, clears the assignee and reopens an issue in progress. The fence stays, so changes under the old lease are refused. The holder releases an active lease with lease id and fence. Anyone may release an expired one. Releasing an issue without a lease changes nothing.',
  effect: 'mutation',
  opId: 'op/mcp.issue_lease_release',
  input: {
    ...idField,
    assignee: textField('name', 'The expected holder.'),
    ...proofFields,
    ...changeFields,
  },
  output: LeaseReleaseAnswer,
  examples: {
    'premath issue lease-release bd-1 --lease-id lease1_bd-1_me --fence 1': 'the issue, free again',
  },

  async run({ id, assignee, ...rest }, context) {
    const project = await openProject(context)
    const proof = { ...(await proofOf(id, rest, project)), assignee }
    const change = { action: 'issue.lease_release', id, proof } as const
    return await changeIssues(project, rest, change, ({ issue, rows }) => ({
      output: { changed: rows.length > 0, issue: issue && briefOf(issue) },
      text: () =>
        rows.length > 0
          ? `Released ${visible(`${issue?.id} (${issue?.status}): ${issue?.title}`)}\n`
          : `${visible(id)} is not leased; nothing changed.\n`,
    }))
  },
})
