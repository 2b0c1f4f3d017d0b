/** Whether an event log merely has not come as far as the rows. */

import { instantOf } from '../../timestamp.ts'
import type { Issue } from '../issue.ts'
import { type IssueMemory, snapshotRow } from '../issue-memory.ts'

/**
 * A log is written after its rows, so it may lack the last of them. One that tells of an issue the
 * rows do not have, or of another content at the same time, is not behind: it contradicts them.
 */
export function isLogBehind(replayed: IssueMemory, rows: IssueMemory): boolean {
  return replayed.all().every(logged => {
    const row = rows.get(logged.id)
    return row && (snapshotRow(row) === snapshotRow(logged) || timeOf(row) > timeOf(logged))
  })
}

const timeOf = ({ updated_at }: Issue) => (updated_at && instantOf(updated_at)) || 0n
