import type { Issue } from './issue.ts'
import { stamped, withStatus } from './issue-edit.ts'
import type { IssueMemory } from './issue-memory.ts'
import { type IssueRefusal, issueNotFound, refuse } from './issue-refusal.ts'

/**
 * Marks an issue blocked and appends the reason to its notes, once. Decided from the row, so that a
 * concurrent note is kept.
 */
export function blockIssue(
  memory: IssueMemory,
  id: string,
  note: string,
  now: bigint,
): { readonly rows: readonly Issue[]; readonly issue: Issue } | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id)
  if (issue.status === 'closed') {
    const remedy = 'Nothing waits for it any more. Reopen it first if that is wrong.'
    return refuse('issue_closed', `${id} is closed`, remedy)
  }
  const notes = withNote(issue.notes, note)
  if (issue.status === 'blocked' && notes === issue.notes) return { rows: [], issue }
  // Clears the worker's name, which would keep others from claiming the issue.
  const assignee = issue.lease?.owner === issue.assignee ? '' : issue.assignee
  const blocked = withStatus({ ...stamped(issue, now), notes, assignee }, 'blocked', now)
  return { rows: [blocked], issue: blocked }
}

function withNote(notes: string, note: string): string {
  if (notes.includes(note)) return notes
  return notes === '' ? note : `${notes}\n\n${note}`
}
