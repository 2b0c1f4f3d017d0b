import { changeFields, contentFields, fieldsOf } from '../../input/issue-fields.ts'
import { visible } from '../../kernel/text/visible.ts'
import { openProject } from '../../project/open.ts'
import { briefOf } from '../../render/issues/issue-answer.ts'
import { changeIssues } from '../issue-door.ts'
import { operation } from '../operation.ts'

export const issueAdd = operation({
  group: 'issue',
  summary: 'Add an issue.',
  description:
    'Without --id it gets the next free one. The first issue of a project makes its issue memory. Exits 1 when the issue is refused: the id is taken, the type is unknown, the title is blank.',
  effect: 'mutation',
  input: {
    title: {
      type: 'text',
      describe: 'What is to be done, in one line.',
      placeholder: 'title',
      required: true,
      positional: true,
    },
    id: { type: 'text', describe: 'An id of your own.', placeholder: 'id' },
    status: {
      type: 'text',
      describe: 'open, in_progress, blocked, or a word of your own; open if not given.',
      placeholder: 'status',
    },
    ...contentFields,
    ...changeFields,
  },
  examples: [
    { command: 'premath issue add "Fix login timeout" --priority 1', shows: 'the id it got' },
    {
      command: 'premath issue add "Ship it" --type epic --label release --spec specs/ship.spec.md',
      shows: 'an issue with the spec that accepts it',
    },
  ],

  async run({ title, id, status, ...rest }, context) {
    const fields = await fieldsOf(rest, context)
    const issue = { ...fields, title, id, status }
    const project = await openProject(context)
    return await changeIssues(project, rest, { action: 'issue.add', issue }, ({ issue }) => ({
      output: { issue: issue && briefOf(issue) },
      text: () => `Added ${visible(`${issue?.id}: ${issue?.title}`)}\n`,
    }))
  },
})
