/**
 * Rows of one file that were written apart from each other: a person, or a merge of lines, kept those of
 * both sides. The last row of an id does not have what the others say, so all of them are merged.
 */
import type { Sha256 } from '../../canonical.ts'
import type { Issue } from '../issue.ts'
import { mergeIssues } from '../merge/issue-merge.ts'
import { isMadeFrom, isNewer, knows } from '../merge/row-merge.ts'
import { creationOf, type EarlierRows, isRenamed, type Rows } from '../merge/same-issue.ts'

/** The rows of every id, in the order of the file. */
export type RowsById = ReadonlyMap<string, readonly Issue[]>

export function byIdOf(inFile: Iterable<Issue>): Map<string, readonly Issue[]> {
  const byId = new Map<string, Issue[]>()
  for (const row of inFile) {
    const before = byId.get(row.id)
    if (before) before.push(row)
    else byId.set(row.id, [row])
  }
  return byId
}

/** The rows that no later row of their id was made from: mostly the last one alone. */
export class RowEnds {
  readonly #ends = new Map<string, readonly Issue[]>()

  take(row: Issue): void {
    const ends = this.#ends.get(row.id)
    this.#ends.set(row.id, ends ? [...ends.filter(end => !isMadeFrom(end, row)), row] : [row])
  }

  /** The last row of every id. */
  last(): Rows {
    return new Map(
      [...this.#ends].flatMap(([id, ends]) => ends.slice(-1).map(row => [id, row] as const)),
    )
  }

  /** The others. */
  apart(): RowsById {
    const apart = new Map<string, readonly Issue[]>()
    for (const [id, ends] of this.#ends) if (ends.length > 1) apart.set(id, ends.slice(0, -1))
    return apart
  }
}

export function endsOf(inFile: Iterable<Issue>): RowEnds {
  const ends = new RowEnds()
  for (const row of inFile) ends.take(row)
  return ends
}

/** The rows that count of one side of a merge, and all that are before them in its file. */
export function sideOf(inFile: readonly Issue[], sha256: Sha256): Side {
  const byId = byIdOf(inFile)
  const ends = endsOf(inFile)
  const [last, apart] = [ends.last(), ends.apart()]
  // The last row of an id with such rows is not the one that counts.
  const earlier = new Map(
    [...byId].map(([id, rows]) => [id, apart.has(id) ? rows : rows.slice(0, -1)]),
  )
  return { rows: apart.size === 0 ? last : withApart(last, byId, apart, sha256), earlier }
}

interface Side {
  readonly rows: Rows
  readonly earlier: EarlierRows
}

/** The issues that have another id than the one that they were created with, by their creation. */
export function renamedRows(rows: Rows): Rows {
  const renamed = new Map<string, Issue>()
  for (const row of rows.values()) if (isRenamed(row)) renamed.set(creationOf(row), row)
  return renamed
}

/** The rows, with those merged into them that were written apart. */
export function withApart(rows: Rows, byId: RowsById, apart: RowsById, sha256: Sha256): Rows {
  let merged = rows
  const renamed = renamedRows(rows)
  /** A merge gave the issue of the row another id. */
  const isElsewhere = (row: Issue) => {
    const elsewhere = renamed.get(creationOf(row))
    return elsewhere !== undefined && elsewhere.id !== row.id && knows(elsewhere, row)
  }
  for (let at = 0; ; at++) {
    const theirs = new Map<string, Issue>()
    const base = new Map(merged)
    for (const [id, ends] of apart) {
      const end = ends[at]
      if (!end || isElsewhere(end)) continue
      theirs.set(id, end)
      // The last row can be a copy of an issue that has another id by now.
      const last = merged.get(id)
      const common = last && commonOf(byId.get(id) ?? [], end, last)
      if (common) base.set(id, common)
      else base.delete(id)
    }
    if (theirs.size === 0) return merged
    const { rows: all } = mergeIssues({ base, ours: merged, theirs }, sha256)
    merged = new Map(all.map(row => [row.id, row]))
  }
}

/** The newest row from which both were made. */
const commonOf = (rows: readonly Issue[], one: Issue, other: Issue) =>
  rows
    .filter(row => isMadeFrom(row, one) && isMadeFrom(row, other))
    .reduce<Issue | undefined>((last, row) => (last && isNewer(last, row) ? last : row), undefined)
