/**
 * Tells rows apart that contradict each other in nothing, but were written apart all the same: the later
 * one lacks the whole change of the other, and makes another one. A rebase by patches, or a merge by lines,
 * puts such rows one after the other and asks no merge driver.
 */
import type { Dependency } from '../../../wire/issue/issue.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { fenceOf, type Issue } from '../issue.ts'
import { commentsMember } from '../issue-comment.ts'
import { isSame } from '../merge/three-way.ts'

/**
 * True if `row` was not made from `after`, because no command makes the difference between the two.
 * `before` is the row that `after` was made from, where the file has it. A merged row has the time of the
 * newer of its sides, so a row of that time can be a side of `after`.
 */
export function leavesOut(row: Issue, after: Issue, before: Issue | undefined): boolean {
  if (row.updated_at === after.updated_at) return false
  return before ? leavesOutChange(row, after, before) : leavesOutEdge(row, after)
}

/**
 * The row is as `before` where `after` is not, and differs elsewhere, by what no command does together with
 * taking the change of `after` back.
 */
function leavesOutChange(row: Issue, after: Issue, before: Issue): boolean {
  const left = kindsOf(before, after, row)
  if (left === undefined || left.size === 0) return false
  const made = kindsOf(before, row)
  if (made === undefined || made.size === 0) return false
  if (left.has('edges') && made.has('edges')) {
    const edges = [...edgesBetween(before, after), ...edgesBetween(before, row)]
    return left.size + made.size > 2 || !isOneEdge(edges)
  }
  const all = new Set([...left, ...made])
  if (all.has('edges') || all.has('comments')) return all.size > 1
  return left.has('texts') && fenceOf(row) > fenceOf(before)
}

/** A missing edge may have been removed, by a command that changes nothing else. */
function leavesOutEdge(row: Issue, after: Issue): boolean {
  if (after.dependencies.length === 0) return false
  const has = namesOf(row)
  if (after.dependencies.every(edge => has.has(nameOf(edge)))) return false
  return (kindsOf(after, row)?.size ?? 0) > 1 || !isOneEdge(edgesBetween(after, row))
}

/** The parts of a row that a command changes alone; texts and state may change together. */
type Kind = 'edges' | 'comments' | 'texts' | 'state'

/** The kinds of change between two rows; `undefined` if `row` has a part of the change. */
function kindsOf(before: Issue, after: Issue, row?: Issue): ReadonlySet<Kind> | undefined {
  const kinds = new Set<Kind>()
  for (const [kind, part] of parts) {
    const was = part(before)
    if (isSame(part(after), was)) continue
    if (row && !isSame(part(row), was)) {
      // Of two edges, one may be new in `after` and the other one in `row`.
      if (kind !== 'edges' || hasEdgeChange(row, after, before)) return undefined
    }
    kinds.add(kind)
  }
  return kinds
}

type Part = readonly [Kind, (issue: Issue) => Json | undefined]

/** The quick ones first: most rows have the change of the row before them. */
const parts: readonly Part[] = [
  ['state', ({ status }) => status],
  ['state', ({ assignee }) => assignee],
  ['texts', ({ title }) => title],
  ['texts', ({ description }) => description],
  ['texts', ({ design }) => design],
  ['texts', ({ acceptance_criteria }) => acceptance_criteria],
  ['texts', ({ notes }) => notes],
  ['texts', ({ priority }) => priority],
  ['texts', ({ issue_type }) => issue_type],
  ['texts', ({ owner }) => owner],
  ['comments', ({ others }) => others?.[commentsMember]],
  ['edges', ({ dependencies }) => dependencies.map(nameOf)],
  ['texts', ({ labels }) => labels],
  ['state', ({ lease }) => lease as JsonObject | undefined],
  ['state', ({ metadata }) => withoutWitness(metadata)],
]

/** Every change of an agent has one. */
function withoutWitness(metadata: Json | undefined): Json | undefined {
  if (!isJsonObject(metadata)) return metadata
  const { premathWriteWitness: _, ...kept } = metadata
  return kept
}

const nameOf = ({ type, depends_on_id }: Dependency) => `${type} ${depends_on_id}`
const namesOf = ({ dependencies }: Issue) => new Set(dependencies.map(nameOf))

/** The edges that one of the two rows has alone. */
function edgesBetween(one: Issue, other: Issue): readonly string[] {
  const [left, right] = [namesOf(one), namesOf(other)]
  return [...left, ...right].filter(name => !left.has(name) || !right.has(name))
}

function hasEdgeChange(row: Issue, after: Issue, before: Issue): boolean {
  const changed = new Set(edgesBetween(before, after))
  return edgesBetween(before, row).some(name => changed.has(name))
}

/** A command changes one edge. It can give it another type, which removes an edge and adds one. */
const isOneEdge = (names: readonly string[]): boolean =>
  names.length <= 2 && new Set(names.map(name => name.slice(name.indexOf(' ') + 1))).size === 1
