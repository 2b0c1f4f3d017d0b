import { countField, textField } from '../../field.ts'
import { limitField, memoryFields } from '../../input/issue-fields.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { commentsOf } from '../../kernel/issues/issue-comment.ts'
import { byNaturalId } from '../../kernel/issues/issue-order.ts'
import { isForced } from '../../kernel/proof/close-kind.ts'
import { lowerAscii, trim } from '../../kernel/text/clean.ts'
import { statusToFind } from '../../project/issues/status-word.ts'
import { openProject } from '../../project/open.ts'
import { countLine, limited, table } from '../../render/table.ts'
import { ListAnswer } from '../../wire/answers/issue-lists.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const issueList = operation({
  group: 'issue',
  summary: 'List issues.',
  description:
    'Lists all issues by id, or those that match every filter. An issue that a person closed without proof has the mark (force), and forced with --json.',
  effect: 'read',
  opId: 'op/mcp.issue_list',
  input: {
    status: textField('status', 'Only this status.', { names: 'status' }),
    assignee: textField('name', 'Only this assignee.'),
    label: { type: 'text', describe: 'Only with this label.', many: true, names: 'label' },
    priority: countField('n', 'Only this priority.'),
    query: textField(
      'text',
      'Only issues with this text in id, title, texts, labels or comments, ignoring case.',
    ),
    ...limitField,
    ...memoryFields,
  },
  output: ListAnswer,
  examples: {
    'premath issue list --status in_progress': 'the issues in progress',
    'premath issue list --query timeout --limit 5': 'the first five matches',
  },

  async run({ limit, ...filters }, context) {
    const project = await openProject(context)
    const { issuesPath, memory, notices } = await readIssueMemory(project, filters)
    const status = await statusToFind(filters.status, memory.all(), project)
    const found = memory
      .all()
      .filter(filterOf({ ...filters, status }))
      .sort((a, b) => byNaturalId(a.id, b.id))
    const { shown, counts } = limited(found, limit)
    const items = shown.map(issue => ({
      assignee: issue.assignee,
      ...(isForced(issue) && { forced: true }),
      id: issue.id,
      issueType: issue.issue_type,
      priority: issue.priority,
      status: issue.status,
      title: issue.title,
    }))
    return {
      output: { action: 'issue.list', ...counts, issuesPath, items },
      yes: true,
      ...notices,
      render: page =>
        table(
          ['id', 'pri', 'status', 'assignee', 'title'],
          shown.map(issue => [
            issue.id,
            String(issue.priority),
            isForced(issue) ? 'closed (force)' : issue.status,
            issue.assignee,
            issue.title,
          ]),
          page,
          ['assignee', 'pri', 'status'],
        ) + countLine(counts, 'issue', page),
    }
  },
})

interface Filters {
  readonly status: string | undefined
  readonly assignee: string | undefined
  readonly label: readonly string[]
  readonly priority: number | undefined
  readonly query: string | undefined
}

function filterOf({ status, assignee, label, priority, query }: Filters) {
  const wanted = status === undefined ? undefined : lowerAscii(trim(status))
  const words = query?.toLowerCase()
  return (issue: Issue): boolean =>
    (wanted === undefined || lowerAscii(trim(issue.status)) === wanted) &&
    (assignee === undefined || issue.assignee === assignee) &&
    (priority === undefined || issue.priority === priority) &&
    label.every(one => issue.labels.includes(one)) &&
    (words === undefined || textsOf(issue).some(text => text.toLowerCase().includes(words)))
}

const textsOf = (issue: Issue) => [
  issue.id,
  issue.title,
  issue.description,
  issue.design,
  issue.acceptance_criteria,
  issue.notes,
  ...issue.labels,
  ...commentsOf(issue).map(({ text }) => text),
]
