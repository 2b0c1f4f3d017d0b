import { textField } from '../../field.ts'
import { changeFields, contentFields, fieldsOf, proofFields } from '../../input/issue-fields.ts'
import { visible } from '../../kernel/text/visible.ts'
import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { briefOf } from '../../render/issues/issue-answer.ts'
import { DiscoverAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { operation } from '../operation.ts'

export const issueDiscover = operation({
  group: 'issue',
  summary: 'Add an issue found while working on another.',
  description:
    'The new issue records where it was found and does not depend on it. If the other issue is leased, pass its lease id and fence. In the work of a step it asks the harness, which adds the issue after the step.',
  effect: 'mutation',
  opId: 'op/mcp.issue_discover',
  input: {
    parent: textField('parent', 'The issue during which it was found.', {
      required: true,
      positional: true,
      names: 'issue',
    }),
    title: textField('title', 'The task in one line.', {
      required: true,
      positional: true,
      sentence: true,
    }),
    id: textField('id', 'The id of the new issue.'),
    ...contentFields,
    ...proofFields,
    ...changeFields,
  },
  output: DiscoverAnswer,
  examples: { 'premath issue discover bd-1 "The retry never stops"': 'the id of the new issue' },

  async run({ parent, title, id, ...rest }, context) {
    const issue = { ...(await fieldsOf(rest, context)), title, id }
    const project = await openProject(context)
    const proof = await proofOf(parent, rest, project)
    const change = { action: 'issue.discover', parentId: parent, issue, proof } as const
    return await changeIssues(project, rest, change, ({ issue }) => ({
      output: {
        dependency: { dependsOnId: parent, issueId: issue?.id, type: 'discovered-from' },
        issue: issue && briefOf(issue),
      },
      text: () => `Added ${visible(`${issue?.id}: ${issue?.title} (found on ${parent})`)}\n`,
    }))
  },
})
