import { changeFields, contentFields, fieldsOf, proofFields } from '../../input/issue-fields.ts'
import { visible } from '../../kernel/text/visible.ts'
import { proofOf } from '../../project/authority/lease-proof.ts'
import { openProject } from '../../project/open.ts'
import { briefOf } from '../../render/issues/issue-answer.ts'
import { changeIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

export const issueDiscover = operation({
  group: 'issue',
  summary: 'Add an issue that was found while working on another.',
  description:
    'The new issue remembers where it was found, and does not wait for it. While the other one is leased, the change needs its lease id and fence.',
  effect: 'mutation',
  input: {
    parent: {
      type: 'text',
      describe: 'The issue it was found on.',
      placeholder: 'parent',
      required: true,
      positional: true,
    },
    title: {
      type: 'text',
      describe: 'What is to be done, in one line.',
      placeholder: 'title',
      required: true,
      positional: true,
    },
    id: { type: 'text', describe: 'An id of your own.', placeholder: 'id' },
    ...contentFields,
    ...proofFields,
    ...changeFields,
  },
  examples: [
    { command: 'premath issue discover bd-1 "The retry never stops"', shows: 'the id it got' },
  ],

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
