/** Issues as a table for spreadsheets (RFC 4180). */
import type { Issue } from '../../kernel/issues/issue.ts'
import { commentsOf, type ShownComment } from '../../kernel/issues/issue-comment.ts'

const columns: Readonly<Record<string, (issue: Issue) => string>> = {
  id: issue => cell(issue.id),
  title: issue => cell(issue.title),
  status: issue => cell(issue.status),
  // A number is never a formula, even if negative.
  priority: issue => String(issue.priority),
  issue_type: issue => cell(issue.issue_type),
  assignee: issue => cell(issue.assignee),
  owner: issue => cell(issue.owner),
  labels: issue => cell(issue.labels.join(', ')),
  dependencies: issue =>
    cell(
      issue.dependencies.map(({ type, depends_on_id }) => `${type} ${depends_on_id}`).join(', '),
    ),
  created_at: issue => cell(issue.created_at ?? ''),
  updated_at: issue => cell(issue.updated_at ?? ''),
  closed_at: issue => cell(issue.closed_at ?? ''),
  description: issue => cell(issue.description),
  design: issue => cell(issue.design),
  acceptance_criteria: issue => cell(issue.acceptance_criteria),
  notes: issue => cell(issue.notes),
  comments: issue => cell(commentsOf(issue).map(commentLine).join('\n')),
}

const commentLine = ({ author, createdAt, text }: ShownComment) =>
  `${createdAt ?? ''} ${author}: ${text}`.trimStart()

export const csvHeader = `${Object.keys(columns).join(',')}\r\n`

export const csvRow = (issue: Issue): string =>
  `${Object.values(columns)
    .map(column => column(issue))
    .join(',')}\r\n`

/** Characters that start a formula in spreadsheets, full-width forms included. */
const formulaStart = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/

/** A leading apostrophe makes it text; spreadsheets hide it. */
function cell(text: string): string {
  const guarded = formulaStart.test(text) ? `'${text}` : text
  return /^[\w .:/-]*$/.test(guarded) ? guarded : `"${guarded.replace(/"/g, '""')}"`
}
