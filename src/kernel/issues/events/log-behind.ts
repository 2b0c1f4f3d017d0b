/** Whether an event log is merely behind the rows. */

import { instantOf } from '../../timestamp.ts'
import type { Issue } from '../issue.ts'
import { type IssueMemory, snapshotRow } from '../issue-memory.ts'

/**
 * A log is written after its rows, so it may lack the last ones. A log with an unknown issue, or
 * with other content at the same time, contradicts the rows.
 */
export function isLogBehind(replayed: IssueMemory, rows: IssueMemory): boolean {
  return replayed.all().every(logged => {
    const row = rows.get(logged.id)
    return row && (snapshotRow(row) === snapshotRow(logged) || timeOf(row) > timeOf(logged))
  })
}

const timeOf = ({ updated_at }: Issue) => (updated_at && instantOf(updated_at)) || 0n
