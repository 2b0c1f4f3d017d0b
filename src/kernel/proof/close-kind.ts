/** How an issue was closed, as its row says: with proof, by force, or before it was imported. */
import type { Issue } from '../issues/issue.ts'
import { closeOf, withMetadata } from '../issues/issue-metadata.ts'
import { isJsonObject } from '../json.ts'

/** The reason of a person who closed the issue without proof; `undefined` for any other close. */
export function forcedReason(issue: Issue): string | undefined {
  const { by, reason } = closeOf(issue) ?? {}
  if (issue.status !== 'closed' || by !== 'force') return undefined
  return typeof reason === 'string' ? reason : 'no reason'
}

export const isForced = (issue: Issue): boolean => forcedReason(issue) !== undefined

/**
 * Records that the row came with its close, which another project or tool made. An issue that is not
 * closed loses such a record: it says nothing about a close that is still to come.
 */
export function asImported(issue: Issue): Issue {
  if (issue.status === 'closed') {
    const premathImported = { closedAt: issue.closed_at ?? null }
    return { ...issue, metadata: withMetadata(issue, { premathImported }) }
  }
  return withoutImport(issue)
}

/** A row of an import with the record of the existing row, so that a second import changes nothing. */
export function withImportOf(mine: Issue, theirs: Issue): Issue {
  const premathImported = importRecord(mine)
  if (premathImported === undefined) return withoutImport(theirs)
  return { ...theirs, metadata: withMetadata(theirs, { premathImported }) }
}

function withoutImport(issue: Issue): Issue {
  if (importRecord(issue) === undefined || !isJsonObject(issue.metadata)) return issue
  const { premathImported: _removed, ...kept } = issue.metadata
  return { ...issue, metadata: Object.keys(kept).length > 0 ? kept : undefined }
}

/** True if the issue has no close of its own here, and its row says that it came closed. */
export const isImported = (issue: Issue): boolean =>
  saysImported(issue) && closeOf(issue) === undefined

/** True if the row says nothing about its close. */
export const isUnrecorded = (issue: Issue): boolean =>
  issue.status === 'closed' && closeOf(issue) === undefined && !saysImported(issue)

/** True if the row says that this close was imported. A later close has another time. */
export function saysImported(issue: Issue): boolean {
  const record = importRecord(issue)
  if (issue.status !== 'closed' || !isJsonObject(record)) return false
  return record['closedAt'] === (issue.closed_at ?? null)
}

const importRecord = ({ metadata }: Issue) =>
  isJsonObject(metadata) ? metadata['premathImported'] : undefined
