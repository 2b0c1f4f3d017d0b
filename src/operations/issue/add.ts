import { textField } from '../../field.ts'
import {
  allowanceFields,
  allowancesIn,
  changeFields,
  contentFields,
  fieldsOf,
} from '../../input/issue-fields.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { visible } from '../../kernel/text/visible.ts'
import { confirmedAllowances } from '../../project/authority/confirmed-allowances.ts'
import { statusToWrite } from '../../project/issues/status-word.ts'
import { openProject } from '../../project/open.ts'
import { issuesPlace, openIssues } from '../../project/open-issues.ts'
import { resolvePath } from '../../project/paths.ts'
import { briefOf, rejected } from '../../render/issues/issue-answer.ts'
import { AddAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { operation } from '../operation.ts'

export const issueAdd = operation({
  group: 'issue',
  summary: 'Add an issue.',
  description:
    'Without --id the issue gets the next free id, with the prefix that all issues share, or bd. The first issue creates the issue memory of the project. Exits 1 if the id is taken, the type is unknown or the title is blank.',
  effect: 'mutation',
  opId: 'op/mcp.issue_add',
  input: {
    title: textField('title', 'The task in one line.', {
      required: true,
      positional: true,
      sentence: true,
    }),
    id: textField('id', 'The id of the new issue.'),
    status: textField(
      'status',
      'open, in_progress, blocked, in_review, or one of the setting statuses; default open.',
      { names: 'status' },
    ),
    ...contentFields,
    ...allowanceFields,
    ...changeFields,
  },
  output: AddAnswer,
  examples: {
    'premath issue add "Fix login timeout" --priority 1': 'the id of the new issue',
    'premath issue add "Ship it" --type epic --label release --spec specs/ship.spec.md':
      'an issue with its acceptance spec',
    "premath issue add 'Rename the option' --may-change 'test/**'":
      'an issue whose work may change existing tests',
  },

  async run({ title, id, status, ...rest }, context) {
    const fields = await fieldsOf(rest, context)
    const project = await openProject(context)
    const known = await statusToWrite(status, project)
    const { allowances: asked } = allowancesIn(rest)
    const allowances =
      typeof known === 'object'
        ? known
        : await confirmedAllowances(asked, JSON.stringify(title), rest, project)
    if (allowances && isRefusal(allowances)) {
      const { issuesPath } = await openIssues(project, rest, 'ask')
      return rejected('issue.add', issuesPath, allowances)
    }
    const place = issuesPlace(project, rest.issues)
    const memoryPath = resolvePath(place.folder, place.issuesPath)
    const { store } = await openIssues(project, rest, 'look')
    const isFirst = !(await store.exists())
    const issue = {
      ...fields,
      ...(allowances && { allowances }),
      title,
      id,
      status: known as string | undefined,
    }
    return await changeIssues(project, rest, { action: 'issue.add', issue }, ({ issue }) => ({
      output: { issue: issue && briefOf(issue) },
      // In a wrong folder, a new memory is the only sign of it.
      text: () =>
        `Added ${visible(`${issue?.id}: ${issue?.title}`)}\n${isFirst ? `  in new issue memory ${visible(memoryPath)}\n` : ''}`,
    }))
  },
})
