import { countField, textField } from '../../field.ts'
import { limitField, memoryFields } from '../../input/issue-fields.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { commentsOf } from '../../kernel/issues/issue-comment.ts'
import { traitFilter } from '../../kernel/issues/issue-list.ts'
import { byNaturalId } from '../../kernel/issues/issue-order.ts'
import { isForced } from '../../kernel/proof/close-kind.ts'
import { statusToFind } from '../../project/issues/status-word.ts'
import { openProject } from '../../project/open.ts'
import { type Counts, countLine, table } from '../../render/table.ts'
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
    const rows = () => memory.all()
    const status = await statusToFind(filters.status, rows, project)
    const isWanted = traitFilter({ ...filters, status })
    const { first: shown, total } =
      filters.query === undefined
        ? memory.matching(isWanted, limit)
        : withText(filters.query, rows().filter(isWanted), limit)
    const counts: Counts = { count: shown.length, ...(limit !== undefined && { total }) }
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

/** No index has the texts, so every row is read. */
function withText(query: string, rows: readonly Issue[], limit: number | undefined) {
  const words = query.toLowerCase()
  const found = rows
    .filter(issue => textsOf(issue).some(text => text.toLowerCase().includes(words)))
    .sort((a, b) => byNaturalId(a.id, b.id))
  return { first: found.slice(0, limit), total: found.length }
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
