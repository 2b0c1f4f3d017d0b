import { briefOf } from './issue-answer.ts'
import { changeIssues } from './issue-door.ts'
import {
  changeFields,
  contentFields,
  fieldsOf,
  idField,
  proofFields,
  proofOf,
} from './issue-fields.ts'
import { operation } from './operation.ts'
import { visible } from './visible.ts'

export const issueUpdate = operation({
  group: 'issue',
  summary: 'Change an issue.',
  description:
    'What is not named stays as it is. A status other than in_progress ends the lease. While an issue is leased, a change needs lease id and fence of its holder, by flag or from PREMATH_LEASE_ID and PREMATH_FENCE; when PREMATH_ISSUE_ID names another issue, those two are left alone. Exits 4 when somebody else holds the issue.',
  effect: 'mutation',
  input: {
    ...idField,
    title: { type: 'text', describe: 'What is to be done, in one line.', placeholder: 'title' },
    status: {
      type: 'text',
      describe: 'open, in_progress, blocked, closed, or a word of your own.',
      placeholder: 'status',
    },
    ...contentFields,
    ...proofFields,
    ...changeFields,
  },
  examples: [
    { command: 'premath issue update bd-1 --status closed', shows: 'the issue as it is now' },
    {
      command: 'premath issue update bd-1 --notes-file - --lease-id lease1_bd-1_me --fence 1',
      shows: 'notes from standard input, by the holder of the lease',
    },
  ],

  async run({ id, title, status, ...rest }, context) {
    const fields = { ...(await fieldsOf(rest, context)), title, status }
    const proof = await proofOf(id, rest, context)
    const change = { action: 'issue.update', id, fields, proof } as const
    return await changeIssues(context, rest, change, ({ issue }) => ({
      output: { issue: issue && briefOf(issue) },
      text: () => `Updated ${visible(`${issue?.id} (${issue?.status}): ${issue?.title}`)}\n`,
    }))
  },
})
