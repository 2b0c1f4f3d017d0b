/**
 * Merges issue memory of two branches row by row. The result does not depend on which side is ours,
 * and no row is lost: an issue that only one side has stays. A row that both sides changed is merged
 * by field (`row-merge.ts`). An issue is the same on both sides if it was created as the same one
 * (`same-issue.ts`). Of two issues with the same id, the later one gets a new id (`merged-ids.ts`).
 */
import { byCodePoint, type Sha256 } from '../../canonical.ts'
import { withFence } from '../forward/fences.ts'
import { fenceOf, type Issue, printIssue } from '../issue.ts'
import { type Moves, movesOf, type RenamedIssue, sharedIds, withNewIds } from './merged-ids.ts'
import { withConflicts } from './metadata-merge.ts'
import { type Dropped, isNewer, mergeRow } from './row-merge.ts'
import {
  creationIn,
  type EarlierRows,
  type Rows,
  type Version,
  type Versions,
  versionsOf,
} from './same-issue.ts'

export type { RenamedIssue } from './merged-ids.ts'

export interface MergeConflict extends Pick<Dropped, 'field' | 'value'> {
  readonly issueId: string
}

interface MergedIssues {
  /** By id. */
  readonly rows: readonly Issue[]
  readonly conflicts: readonly MergeConflict[]
  readonly renamed: readonly RenamedIssue[]
}

interface ThreeSides {
  readonly base: Rows
  readonly ours: Rows
  readonly theirs: Rows
  /** The rows before those of each side, where they are known. */
  readonly earlier?: { readonly ours: EarlierRows; readonly theirs: EarlierRows }
}

export function mergeIssues({ base, ours, theirs, earlier }: ThreeSides, sha256: Sha256) {
  const creation = creationIn(base, ours, theirs)
  const was = versionsOf(base, none, creation)
  const our = versionsOf(ours, earlier?.ours ?? none, creation)
  const their = versionsOf(theirs, earlier?.theirs ?? none, creation)
  const isTaken = (id: string) => base.has(id) || ours.has(id) || theirs.has(id)
  const { ids, renamed } = sharedIds(our, their, isTaken, sha256)
  const moves = [was, our, their].map(side => movesOf(side, ids))
  const [before, left, right] = [was, our, their].map((side, at) =>
    withNewIds(side, moves[at] ?? new Map(), was, base),
  )
  const conflicts: MergeConflict[] = []
  const rows = new Map<string, Issue>()
  for (const [name, id] of ids) {
    const { issue, dropped } = mergeVersions(before?.get(name), left?.get(name), right?.get(name))
    const wasOther = renamed.get(name)
    rows.set(id, wasOther ? withLostId(issue, wasOther) : issue)
    conflicts.push(...dropped.map(({ field, value }) => ({ issueId: id, field, value })))
  }
  for (const [at, side] of [our, their].entries()) keepFences(rows, side, moves[at + 1])
  return {
    rows: [...rows.values()].sort((a, b) => byCodePoint(a.id, b.id)),
    conflicts: conflicts.sort((a, b) => byCodePoint(a.issueId, b.issueId)),
    renamed: [...renamed.values()],
  } satisfies MergedIssues
}

const none: EarlierRows = new Map()

function mergeVersions(
  before: Version | undefined,
  left: Version | undefined,
  right: Version | undefined,
): ReturnType<typeof mergeRow> {
  if (left && right) {
    return mergeRow(lastCommon(left, right) ?? before?.issue, left.issue, right.issue)
  }
  const only = left ?? right
  if (!only) throw new TypeError('an issue is on a side')
  return { issue: only.issue, dropped: [] }
}

/**
 * The newest row that both sides had. It is a better base than that of git, which also counts a merge
 * that left the rows of one side out.
 */
function lastCommon(left: Version, right: Version): Issue | undefined {
  if (left.earlier.length === 0 && right.earlier.length === 0) return undefined
  const had = new Set([...right.earlier, right.issue].map(printIssue))
  const common = [...left.earlier, left.issue].filter(row => had.has(printIssue(row)))
  // The order in a file is no help: lines that a person put together may be in another one.
  return common.reduce<Issue | undefined>(
    (last, row) => (last && isNewer(last, row) ? last : row),
    undefined,
  )
}

/** The id gave way too. */
const withLostId = (issue: Issue, { from }: RenamedIssue): Issue => ({
  ...issue,
  metadata: withConflicts(issue.metadata, [{ field: 'id', value: from }]),
})

/** The holder of a renamed issue knows the old id, so later fences there must be larger. */
function keepFences(rows: Map<string, Issue>, side: Versions, moves: Moves = new Map()): void {
  if (moves.size === 0) return
  for (const { issue, ids } of side.values()) {
    for (const id of ids) {
      const holder = moves.has(id) ? rows.get(id) : undefined
      if (holder) rows.set(id, withFence(holder, fenceOf(issue)))
    }
  }
}
