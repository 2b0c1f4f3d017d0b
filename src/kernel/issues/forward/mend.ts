/** Resolves rows whose fences contradict each other. */
import { fenceOf, type Issue } from '../issue.ts'
import { mergeRow } from '../merge/row-merge.ts'
import { isLower, withFence } from './fences.ts'

interface KnownRows {
  /** All rows of the file, in order. */
  readonly inFile: readonly Issue[]
  /** The last acknowledged row of every id. */
  readonly acknowledged: ReadonlyMap<string, Issue>
  /** The largest fence of every id in the event log. */
  readonly logged: ReadonlyMap<string, number>
}

/**
 * One row for every id of the file. `merge` merges the rows on both sides of a contradiction, `older`
 * takes the last row of the file. Either way no fence is given out twice.
 */
export function mendedRows(
  { inFile, acknowledged, logged }: KnownRows,
  choice: 'merge' | 'older',
): readonly Issue[] {
  const rows = new Map<string, Issue>()
  const highest = new Map<string, Issue>()
  for (const row of inFile) {
    rows.set(row.id, row)
    const high = highest.get(row.id)
    if (!high || !isLower(fenceOf(row), fenceOf(high))) highest.set(row.id, row)
  }
  return [...rows.values()].map(last => {
    const rivals = [highest.get(last.id), acknowledged.get(last.id)].filter(
      row => row !== undefined,
    )
    const fences = [...rivals.map(fenceOf), logged.get(last.id) ?? 0]
    const merged = choice === 'older' ? last : rivals.reduce(withRival, last)
    const largest = Math.max(...fences)
    return isLower(fenceOf(merged), largest) ? withFence(released(merged), largest) : merged
  })
}

/** Its holder was overtaken, so the lease would only keep others from the issue. */
const released = (issue: Issue): Issue =>
  issue.lease && issue.status === 'in_progress'
    ? { ...issue, lease: undefined, assignee: '', status: 'open' }
    : { ...issue, lease: undefined }

/** A row with a larger fence was not known to whoever wrote this one. */
const withRival = (row: Issue, rival: Issue): Issue =>
  isLower(fenceOf(row), fenceOf(rival)) ? mergeRow(undefined, row, rival).issue : row
