/**
 * Brings issue memory forward. A file of rows can go back: a branch switch, a reset, a stash or a
 * deletion takes rows out of it that were acknowledged. They are merged into it again.
 */
import type { Sha256 } from '../../canonical.ts'
import { fenceOf, type Issue, printIssue } from '../issue.ts'
import { mergeIssues } from '../merge/issue-merge.ts'
import { isNewer, knows } from '../merge/row-merge.ts'
import { creationOf, isOtherIssue } from '../merge/same-issue.ts'
import { type RowsById, renamedRows, withApart } from './apart.ts'
import { ContradictingFences, isLower } from './fences.ts'
import type { PassedOver } from './passed-over.ts'

/** The last row of every id. */
type Rows = ReadonlyMap<string, Issue>

/** The rows that were acknowledged in this repository. */
export interface Acknowledged {
  readonly rows: Rows
  /** True if a row was acknowledged, and another one of its id after it. */
  wasReplaced(row: string): boolean
}

/** The rows of a file. */
export interface FileRows {
  /** The last row of every id. */
  readonly rows: Rows
  /** Rows that were written apart from later ones of their id. */
  readonly apart: RowsById
  /** All rows of those ids. */
  readonly byId: RowsById
  /** Rows that others wrote, and a row that was acknowledged here follows. */
  readonly passed: Pick<PassedOver, 'rows' | 'bases' | 'has'>
  /** True if the file has the acknowledged row of this id, also where another one follows it. */
  holds(id: string): boolean
}

/** An id whose row in the file is not the acknowledged one, and no older one. */
export interface ChangedRow {
  /** As text. */
  readonly inFile: string
  readonly acknowledged: string
  /** The acknowledged row replaced it here. */
  readonly isBefore: boolean
}

/** How the file differs from the acknowledged rows. */
export interface FileDifference {
  /** The file has a row that an acknowledged one replaced, or none. */
  readonly wentBack: readonly string[]
  /** Somebody else wrote the row of the file: git, a person or another tool. */
  readonly changed: ReadonlyMap<string, ChangedRow>
  /** Rows that were written apart, unless a later one replaced them here. */
  readonly apart: RowsById
  /** Rows that others wrote, and a row that was acknowledged here follows. */
  readonly passed: RowsById
}

export function fileDifference(file: FileRows, acknowledged: Acknowledged): FileDifference {
  const wentBack: string[] = []
  const changed = new Map<string, ChangedRow>()
  const renamed = renamedRows(file.rows)
  for (const [id, issue] of acknowledged.rows) {
    const there = file.rows.get(id)
    const row = printIssue(issue)
    const inFile = there && printIssue(there)
    if (inFile === row) continue
    const elsewhere = there && knows(there, issue) ? undefined : renamed.get(creationOf(issue))
    // A merge gave the issue another id. Its old one keeps the fence.
    if (elsewhere && elsewhere.id !== id && knows(elsewhere, issue) && isFenced(there, issue)) {
      continue
    }
    const isBefore = inFile !== undefined && acknowledged.wasReplaced(inFile)
    // A merge can turn back to the newer of two rows. Every clone takes it, or they never agree.
    const isTurned = isBefore && there !== undefined && isNewer(there, issue)
    if (inFile === undefined || (isBefore && !isTurned)) wentBack.push(id)
    else if (isTurned || !file.holds(id)) changed.set(id, { inFile, acknowledged: row, isBefore })
  }
  return { wentBack, changed, apart: apartFrom(file, acknowledged), passed: file.passed.rows() }
}

function apartFrom(file: FileRows, { wasReplaced }: Acknowledged): RowsById {
  const apart = new Map<string, readonly Issue[]>()
  for (const [id, rows] of file.apart) {
    const unknown = rows.filter(row => !file.passed.has(row) && !wasReplaced(printIssue(row)))
    if (unknown.length > 0) apart.set(id, unknown)
  }
  return apart
}

const isFenced = (there: Issue | undefined, issue: Issue) =>
  !there || !isLower(fenceOf(there), fenceOf(issue))

/** The knowledge of git about rows, each as text. */
export interface RowHistory {
  /** The rows that the checked-out commit has. */
  readonly committed: ReadonlySet<string>
  /** The rows that a commit before it had. */
  readonly past: ReadonlySet<string>
}

/**
 * The rows to append to the file. Where the row of the file comes from a commit whose history never had
 * the acknowledged row, both are merged: they were written apart from each other. So they are where they
 * are two issues, and where the row of the file lacks a comment or a close, as after a merge that took one
 * side only. Otherwise whoever wrote the row of the file knew the acknowledged one, and only its fence is
 * checked.
 */
export function rowsForward(
  file: FileRows,
  acknowledged: Acknowledged,
  { wentBack, changed, apart, passed }: FileDifference,
  history: RowHistory,
  place: { readonly file: string; readonly mark: string },
  sha256: Sha256,
): readonly Issue[] {
  const base = new Map<string, Issue>()
  const theirs = new Map<string, Issue>()
  const older = new Set(wentBack)
  for (const [id, issue] of acknowledged.rows) {
    const there = file.rows.get(id)
    const change = changed.get(id)
    const isApart =
      change !== undefined &&
      there !== undefined &&
      (isOtherIssue(there, issue) ||
        (history.committed.has(change.inFile) &&
          (!history.past.has(change.acknowledged) ||
            (isFenced(there, issue) && !knows(there, issue)))))
    const isKnown =
      change !== undefined &&
      history.committed.has(change.inFile) &&
      history.past.has(change.acknowledged)
    if (older.has(id) || (change?.isBefore && !isKnown)) {
      theirs.set(id, issue)
      if (there) base.set(id, there)
    } else if (isApart) {
      theirs.set(id, issue)
      // Edges of the file lead to its issue, which may get another id.
      if (there && isOtherIssue(there, issue)) base.set(id, there)
    } else if (there) {
      if (change) mustNotGoBack(issue, there, place)
      base.set(id, there)
    }
  }
  for (const [id, issue] of file.rows) if (!acknowledged.rows.has(id)) base.set(id, issue)
  const { rows } = mergeIssues({ base, ours: file.rows, theirs }, sha256)
  const withLines = withApart(
    new Map(rows.map(row => [row.id, row])),
    file.byId,
    writtenIn(apart, history, acknowledged),
    sha256,
  )
  const merged = withApart(
    withLines,
    file.passed.bases(),
    writtenIn(passed, history, acknowledged),
    sha256,
  )
  return [...merged.values()].filter(row => {
    const there = file.rows.get(row.id)
    return !there || printIssue(there) !== printIssue(row)
  })
}

/** A row that neither a commit nor the record has was damaged or edited after it was written. */
function writtenIn(apart: RowsById, { committed }: RowHistory, { rows }: Acknowledged): RowsById {
  const isWritten = (row: Issue) => {
    const known = rows.get(row.id)
    return committed.has(printIssue(row)) || (known && printIssue(known) === printIssue(row))
  }
  return new Map([...apart].map(([id, all]) => [id, all.filter(isWritten)]))
}

function mustNotGoBack(
  acknowledged: Issue,
  there: Issue,
  place: { readonly file: string; readonly mark: string },
): void {
  if (!isLower(fenceOf(there), fenceOf(acknowledged))) return
  throw new ContradictingFences(
    acknowledged.id,
    { fence: fenceOf(acknowledged), place: place.mark },
    { fence: fenceOf(there), place: place.file },
  )
}
