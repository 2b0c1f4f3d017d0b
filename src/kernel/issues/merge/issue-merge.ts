/**
 * Merges issue memory of two branches row by row. The result does not depend on which side is ours,
 * and no row is lost. A row that both sides changed is merged by field (`row-merge.ts`). A row that
 * one side removed and the other changed stays. Of two new issues with the same id, the later one
 * gets a new id.
 */

import type { Dependency } from '../../../wire/issue/issue.ts'
import { byCodePoint, type Sha256 } from '../../canonical.ts'
import { isJsonObject } from '../../json.ts'
import { instantOf } from '../../timestamp.ts'
import { fenceOf, type Issue, printIssue } from '../issue.ts'
import { withCommentsFor } from '../issue-comment.ts'
import { freeHashId } from '../issue-id.ts'
import { withMetadata } from '../issue-metadata.ts'
import { mergedFromKey } from './metadata-merge.ts'
import { type Dropped, isNewer, mergeRow } from './row-merge.ts'

/** The last row of every id. */
type Rows = ReadonlyMap<string, Issue>

export interface MergeConflict extends Dropped {
  readonly issueId: string
}

export interface RenamedIssue {
  readonly from: string
  readonly to: string
  readonly title: string
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
}

export function mergeIssues(given: ThreeSides, sha256: Sha256): MergedIssues {
  const renamed: RenamedIssue[] = []
  const { base, ours, theirs } = splitSharedIds(withRenamedIds(given), sha256, renamed)
  const rows: Issue[] = []
  const conflicts: MergeConflict[] = []
  for (const id of idsOf([base, ours, theirs])) {
    const [was, our, their] = [base.get(id), ours.get(id), theirs.get(id)]
    if (our && their) {
      const { issue, dropped } = mergeRow(was, our, their)
      rows.push(issue)
      conflicts.push(...dropped.map(value => ({ issueId: id, ...value })))
    } else {
      const only = our ?? their
      // Removed on one side: dropped, unless the other side changed it.
      if (only && (!was || printIssue(was) !== printIssue(only))) rows.push(only)
    }
  }
  return { rows, conflicts, renamed }
}

const idsOf = (sides: readonly Rows[]): readonly string[] =>
  [...new Set(sides.flatMap(rows => [...rows.keys()]))].sort(byCodePoint)

/**
 * An earlier merge renamed an issue on one side, where its old id belongs to another issue. Rows of
 * the base and the other side under the old id then mean the new one.
 */
function withRenamedIds(three: ThreeSides): ThreeSides {
  let { base, ours, theirs } = three
  for (const [id, issue] of three.base) {
    const newId = movedTo(issue, three.ours) ?? movedTo(issue, three.theirs)
    if (newId === undefined) continue
    base = renameRow(base, id, newId)
    if (isSameIssue(issue, ours.get(id))) ours = renameRow(ours, id, newId)
    if (isSameIssue(issue, theirs.get(id))) theirs = renameRow(theirs, id, newId)
  }
  return { base, ours, theirs }
}

function movedTo(issue: Issue, side: Rows): string | undefined {
  const there = side.get(issue.id)
  if (!there || issue.created_at === undefined || isSameIssue(issue, there)) return undefined
  for (const row of side.values()) {
    if (row.created_at === issue.created_at && mergedFrom(row) === issue.id) return row.id
  }
  return undefined
}

const mergedFrom = ({ metadata }: Issue) =>
  isJsonObject(metadata) ? metadata[mergedFromKey] : undefined

/** Equal creation times, to the nanosecond. Without times, equal titles. */
function isSameIssue(a: Issue, b: Issue | undefined): boolean {
  if (!b) return false
  if (a.created_at === undefined || b.created_at === undefined) return a.title === b.title
  return a.created_at === b.created_at
}

/** Gives the later of two issues that got one id on both sides another id. */
function splitSharedIds(three: ThreeSides, sha256: Sha256, renamed: RenamedIssue[]): ThreeSides {
  let { ours, theirs } = three
  const { base } = three
  const taken = new Set(idsOf([base, ours, theirs]))
  for (const id of idsOf([three.ours])) {
    const [our, their] = [ours.get(id), theirs.get(id)]
    if (base.has(id) || !our || !their || isSameIssue(our, their)) continue
    const [later, kept] = isLater(our, their) ? [our, their] : [their, our]
    const free = { size: 0, has: (candidate: string) => taken.has(candidate) }
    // Built from immutable parts, so that every clone derives the same id.
    const parts = [id, later.created_at ?? printIssue(later)]
    const newId = freeHashId(`${id}-`, parts, free, sha256)
    taken.add(newId)
    renamed.push({ from: id, to: newId, title: later.title })
    // The holder of the renamed issue knows the old id, so later fences there must be larger.
    const fenced = withFence(kept, fenceOf(later))
    if (later === our) {
      ours = renameRow(ours, id, newId, base)
      theirs = new Map(theirs).set(id, fenced)
    } else {
      theirs = renameRow(theirs, id, newId, base)
      ours = new Map(ours).set(id, fenced)
    }
  }
  return { base, ours, theirs }
}

const withFence = (issue: Issue, least: number): Issue =>
  fenceOf(issue) < 0 || fenceOf(issue) >= least
    ? issue
    : { ...issue, metadata: withMetadata(issue, { premathFence: least }) }

function isLater(a: Issue, b: Issue): boolean {
  const [left, right] = [a, b].map(({ created_at }) => instantOf(created_at ?? '') ?? 0n)
  return left === right ? isNewer(a, b) : (left ?? 0n) > (right ?? 0n)
}

/** Renames the row and its incoming edges. Edges present in `before` keep the old id. */
function renameRow(rows: Rows, id: string, newId: string, before?: Rows): Rows {
  const renamed = new Map<string, Issue>()
  for (const [key, issue] of rows) {
    const known = before?.get(key)?.dependencies ?? []
    const turned = withTargets(issue, id, newId, known)
    if (key !== id) renamed.set(key, turned)
    else renamed.set(newId, before ? noted(withId(turned, newId), id) : withId(turned, newId))
  }
  return renamed
}

function withTargets(issue: Issue, id: string, newId: string, known: readonly Dependency[]): Issue {
  const meant = (edge: Dependency) =>
    edge.depends_on_id === id &&
    !known.some(({ depends_on_id, type }) => depends_on_id === id && type === edge.type)
  if (!issue.dependencies.some(meant)) return issue
  const dependencies = issue.dependencies.map(edge =>
    meant(edge) ? { ...edge, depends_on_id: newId } : edge,
  )
  return { ...issue, dependencies }
}

const withId = (issue: Issue, newId: string): Issue => ({
  ...withCommentsFor(issue, newId),
  id: newId,
  dependencies: issue.dependencies.map(edge =>
    edge.issue_id === issue.id ? { ...edge, issue_id: newId } : edge,
  ),
})

function noted(issue: Issue, from: string): Issue {
  const { metadata, notes } = issue
  const kept =
    metadata === undefined || isJsonObject(metadata) ? metadata : { premathValue: metadata }
  const note = `Was ${from} before a merge, where another issue has that id.`
  return {
    ...issue,
    notes: notes === '' ? note : `${notes}\n${note}`,
    metadata: { ...kept, [mergedFromKey]: from },
  }
}
