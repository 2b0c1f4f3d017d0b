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
    'Without --id the issue gets the next free id. The first issue creates the issue memory of the project. Exits 1 if the id is taken, the type is unknown or the title is blank.',
  effect: 'mutation',
  input: {
    title: {
      type: 'text',
      describe: 'The task in one line.',
      placeholder: 'title',
      required: true,
      positional: true,
    },
    id: { type: 'text', describe: 'The id of the new issue.', placeholder: 'id' },
    status: {
      type: 'text',
      describe: 'open, in_progress, blocked, or a custom status; default open.',
      placeholder: 'status',
    },
    ...contentFields,
    ...changeFields,
  },
  examples: [
    {
      command: 'premath issue add "Fix login timeout" --priority 1',
      shows: 'the id of the new issue',
    },
    {
      command: 'premath issue add "Ship it" --type epic --label release --spec specs/ship.spec.md',
      shows: 'an issue with its acceptance spec',
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
