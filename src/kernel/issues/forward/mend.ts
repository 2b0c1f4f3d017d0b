/** Resolves rows whose fences contradict each other. */
import type { Sha256 } from '../../canonical.ts'
import { fenceOf, type Issue } from '../issue.ts'
import { mergeIssues } from '../merge/issue-merge.ts'
import { knows, mergeRow } from '../merge/row-merge.ts'
import { creationOf, isOtherIssue } from '../merge/same-issue.ts'
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
  sha256: Sha256,
): readonly Issue[] {
  const last = new Map(inFile.map(row => [row.id, row]))
  const fences = new Map(logged)
  const highest = new Map<string, Issue>()
  const others = new Map<string, Issue>()
  for (const row of [...inFile, ...acknowledged.values()]) {
    const { id } = row
    fences.set(id, Math.max(fenceOf(row), fences.get(id) ?? 0))
    const end = last.get(id)
    const high = highest.get(id)
    if (!end) continue
    if (isOtherIssue(end, row)) others.set(creationOf(row), row)
    else if (!high || !isLower(fenceOf(row), fenceOf(high))) highest.set(id, row)
  }
  const mended = [...last.values()].map(row => {
    const rivals = choice === 'merge' ? [highest.get(row.id), acknowledged.get(row.id)] : []
    const merged = rivals.reduce<Issue>(withRival, row)
    const largest = fences.get(row.id) ?? 0
    return isLower(fenceOf(merged), largest) ? withFence(released(merged), largest) : merged
  })
  return choice === 'merge' ? withOthers(mended, others.values(), sha256) : mended
}

/** Two clones gave one id to two issues, and a person kept the line of both, or of one. */
const withOthers = (rows: readonly Issue[], others: Iterable<Issue>, sha256: Sha256) =>
  [...others].reduce((merged, other) => {
    const ours = new Map(merged.map(row => [row.id, row]))
    const theirs = new Map([[other.id, other]])
    return mergeIssues({ base: new Map(), ours, theirs }, sha256).rows
  }, rows)

/** Its holder was overtaken, so the lease would only keep others from the issue. */
const released = (issue: Issue): Issue =>
  issue.lease && issue.status === 'in_progress'
    ? { ...issue, lease: undefined, assignee: '', status: 'open' }
    : { ...issue, lease: undefined }

/** A row with a smaller fence, or without a comment or a close, was written without knowledge of the other one. */
const withRival = (row: Issue, rival: Issue | undefined): Issue =>
  !rival || isOtherIssue(row, rival) || knows(row, rival)
    ? row
    : mergeRow(undefined, row, rival).issue
