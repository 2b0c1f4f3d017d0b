/**
 * Recognizes an issue on each side of a merge by its creation: the id that it was created with, and
 * when. Both stay for good, while a merge can give the issue another id.
 */
import { byCodePoint, canonicalJson } from '../../canonical.ts'
import { isJsonObject } from '../../json.ts'
import { instantOf } from '../../timestamp.ts'
import type { Issue } from '../issue.ts'
import { mergedFromKey } from '../issue-metadata.ts'
import { mergeRow } from './row-merge.ts'

/** The last row of every id. */
export type Rows = ReadonlyMap<string, Issue>

/** The rows of every id that later ones replaced, oldest first. */
export type EarlierRows = ReadonlyMap<string, readonly Issue[]>

/** One issue on one side. */
export interface Version {
  readonly issue: Issue
  readonly earlier: readonly Issue[]
  /** The ids that it has there: one, but for a copy that an earlier version of premath made. */
  readonly ids: readonly string[]
}

/** The issues of one side by creation. */
export type Versions = ReadonlyMap<string, Version>

/** The id that the issue was created with. */
export function originOf({ id, metadata }: Issue): string {
  const from = isJsonObject(metadata) ? metadata[mergedFromKey] : undefined
  return typeof from === 'string' ? from : id
}

/** Names an issue that has a time of creation. */
export const creationOf = (issue: Issue): string => `${issue.created_at} ${originOf(issue)}`

/** An edit changes no creation: two clones gave out one id, or that of a given-up issue was given out again. */
export const isOtherIssue = (one: Issue, other: Issue): boolean =>
  one.created_at !== undefined &&
  other.created_at !== undefined &&
  creationOf(one) !== creationOf(other)

export const isRenamed = (issue: Issue): boolean => originOf(issue) !== issue.id

/** Names an issue by its creation. The given rows are all in which it may be. */
export type Creation = (issue: Issue) => string

export function creationIn(base: Rows, ours: Rows, theirs: Rows): Creation {
  // Rows of other tools have no times, until each clone sets one of its own at the first change.
  const untimed = new Set<string>()
  for (const rows of [base, ours, theirs]) {
    for (const row of rows.values()) if (row.created_at === undefined) untimed.add(row.id)
  }
  return issue => {
    const { id, title } = issue
    if (!untimed.has(id)) return creationOf(issue)
    return base.has(id) ? canonicalJson([id]) : canonicalJson([id, title])
  }
}

export function versionsOf(rows: Rows, earlier: EarlierRows, creation: Creation): Versions {
  const versions = new Map<string, Version>()
  for (const issue of rows.values()) {
    const name = creation(issue)
    const version = { issue, earlier: earlier.get(issue.id) ?? [], ids: [issue.id] }
    const copy = versions.get(name)
    versions.set(name, copy ? withoutCopy(copy, version) : version)
  }
  return versions
}

/** A side has one issue under two ids: the rows become one. */
function withoutCopy(a: Version, b: Version): Version {
  const id = idOf(a.issue, b.issue)
  const [one, other] = [a, b].map(({ issue }) => ({ ...issue, id }))
  if (!one || !other) throw new TypeError('two versions are two')
  return { issue: mergeRow(undefined, one, other).issue, earlier: [], ids: [...a.ids, ...b.ids] }
}

/** An id that a merge gave stays. Of two, the shorter one does. */
export function idOf(a: Issue, b: Issue): string {
  if (isRenamed(a) !== isRenamed(b)) return (isRenamed(a) ? a : b).id
  return (a.id.length - b.id.length || byCodePoint(a.id, b.id)) <= 0 ? a.id : b.id
}

/** Orders issues by when they were created. */
export function byCreation(
  [a, left]: readonly [string, Issue],
  [b, right]: readonly [string, Issue],
): number {
  const [early, late] = [left, right].map(({ created_at }) => instantOf(created_at ?? '') ?? 0n)
  if (early !== late) return (early ?? 0n) < (late ?? 0n) ? -1 : 1
  return byCodePoint(a, b)
}
