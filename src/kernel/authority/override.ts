/** Records an override in the rows it made, because rows are synced and the event log is not. */

import type { Issue } from '../issues/issue.ts'
import type { IssueChanged } from '../issues/issue-change.ts'
import { withMetadata } from '../issues/issue-metadata.ts'
import type { OperatorGrant } from './operator-grant.ts'

export function withOverride(changed: IssueChanged, grant: OperatorGrant): IssueChanged {
  const { mode, operator, reason, surface } = grant
  if (mode !== 'human-override' || reason === undefined) return changed
  const marked = new Map<Issue, Issue>()
  for (const row of changed.rows) {
    const by = surface === 'cli' ? {} : { surface }
    const premathOverride = { at: row.updated_at ?? '', operator, reason, ...by }
    marked.set(row, { ...row, metadata: withMetadata(row, { premathOverride }) })
  }
  const issue = changed.issue && (marked.get(changed.issue) ?? changed.issue)
  return { ...changed, rows: [...marked.values()], issue }
}
