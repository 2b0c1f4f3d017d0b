/**
 * Merges one issue field by field. If both sides changed a field, the newer row wins and the other
 * value is kept in metadata. There it is committed with the merge, visible to all, and merged like
 * any set. git does not let a merge driver write other files.
 */

import type { Dependency, Lease } from '../../../wire/issue/issue.ts'
import type { Json, JsonObject } from '../../json.ts'
import { instantOf } from '../../timestamp.ts'
import { blankIssue, byDependency, fenceOf, type Issue, printIssue } from '../issue.ts'
import { commentsMember } from '../issue-comment.ts'
import { isLanding, writtenLanding } from '../landing/landing-state.ts'
import { mergeComments } from './comment-merge.ts'
import { mergeMetadata, withConflicts } from './metadata-merge.ts'
import { type Drop, isSame, mergeMembers, mergeSet, mergeValue, type Sides } from './three-way.ts'

/** A value that lost to the other side. */
export interface Dropped {
  readonly field: string
  readonly value: Json
}

interface MergedRow {
  readonly issue: Issue
  readonly dropped: readonly Dropped[]
}

/** `base` is `undefined` where both sides added the issue. */
export function mergeRow(base: Issue | undefined, ours: Issue, theirs: Issue): MergedRow {
  const [was, our, their] = [base && printIssue(base), printIssue(ours), printIssue(theirs)]
  if (our === their || their === was) return { issue: ours, dropped: [] }
  if (our === was) return { issue: theirs, dropped: [] }
  const [newer, older] = isNewer(ours, theirs) ? [ours, theirs] : [theirs, ours]
  return mergeSides({ base: base ?? blankIssue(ours.id, ''), newer, older })
}

/** By `updated_at`, then by the bytes of the row, so that both sides decide alike. */
export function isNewer(a: Issue, b: Issue): boolean {
  const left = instantOf(a.updated_at ?? '') ?? 0n
  const right = instantOf(b.updated_at ?? '') ?? 0n
  return left === right ? printIssue(a) > printIssue(b) : left > right
}

const plainFields = [
  'title',
  'description',
  'design',
  'acceptance_criteria',
  'notes',
  'priority',
  'issue_type',
  'owner',
  'ephemeral',
  'mol_type',
] as const

function mergeSides(sides: Sides<Issue>): MergedRow {
  const { newer, older } = sides
  const dropped: Dropped[] = []
  const drop: Drop = (field, value) => void dropped.push({ field, value: value ?? null })
  const plain = plainFields.map(name => [name, mergeValue(name, pick(sides, name), drop)] as const)
  const merged: Issue = {
    ...newer,
    ...(Object.fromEntries(plain) as Pick<Issue, (typeof plainFields)[number]>),
    ...mergeState(sides, drop),
    created_at: mergeCreated(pick(sides, 'created_at')),
    updated_at: newer.updated_at ?? older.updated_at,
    labels: mergeSet(pick(sides, 'labels')),
    dependencies: mergeEdges(pick(sides, 'dependencies'), drop),
    others: mergeMembers(pick(sides, 'others'), (name, member) =>
      name === commentsMember ? mergeComments(name, member, drop) : mergeValue(name, member, drop),
    ),
  }
  const members = mergeMetadata(pick(sides, 'metadata'), drop)
  const metadata = merged.status === 'closed' ? landingOver(sides, members, drop) : members
  const row = older.updated_at === undefined ? {} : { updated_at: older.updated_at }
  const conflicts = dropped.map(({ field, value }) => ({ field, value, ...row }))
  return { issue: { ...merged, metadata: withConflicts(metadata, conflicts) }, dropped }
}

const pick = <Name extends keyof Issue>(sides: Sides<Issue>, name: Name): Sides<Issue[Name]> => ({
  base: sides.base[name],
  newer: sides.newer[name],
  older: sides.older[name],
})

/** Both sides may have set a missing time; the earlier one is right. */
function mergeCreated({ base, newer, older }: Sides<string | undefined>): string | undefined {
  if (newer === undefined || older === undefined || newer === older) return newer ?? older
  if (newer === base) return older
  if (older === base) return newer
  return (instantOf(newer) ?? 0n) <= (instantOf(older) ?? 0n) ? newer : older
}

const stateFields = ['status', 'closed_at', 'assignee', 'lease'] as const
type State = Pick<Issue, (typeof stateFields)[number]>

/**
 * Status and the time of closing come from one side. Where a lease is involved, assignee and lease
 * come from the same: together they say who works on the issue.
 */
function mergeState(sides: Sides<Issue>, drop: Drop): State {
  const { base, newer, older } = sides
  const closed = closedSide(sides)
  if (closed) return stateOf(sides, closed, drop)
  if (!base.lease && !newer.lease && !older.lease) {
    const { status, closed_at } = oneSide(sides, ['status', 'closed_at'], newer, drop)
    const assignee = mergeValue('assignee', pick(sides, 'assignee'), drop)
    return { status, closed_at, assignee, lease: undefined }
  }
  if (isSharedName(newer, older)) return released(sides, drop)
  return stateOf(sides, heldSide(sides), drop)
}

function stateOf(sides: Sides<Issue>, kept: Issue, drop: Drop): State {
  listLost(sides, kept, stateFields, drop)
  const { status, closed_at, assignee, lease } = kept
  return { status, closed_at, assignee, lease }
}

/** The side that closed the issue while its commit was landing on the other. */
function closedSide({ base, newer, older }: Sides<Issue>): Issue | undefined {
  const closes = (one: Issue, other: Issue) =>
    one.status === 'closed' && one.closed_at !== base.closed_at && isLanding(other)
  if (closes(newer, older)) return newer
  return closes(older, newer) ? older : undefined
}

/** A close ends the landing of the other side. Its commit may be on a branch, so it is recorded. */
function landingOver(
  { base }: Sides<Issue>,
  metadata: JsonObject | undefined,
  drop: Drop,
): JsonObject | undefined {
  if (metadata?.['premathLanding'] === undefined) return metadata
  const { premathLanding, ...kept } = metadata
  if (!isSame(premathLanding, writtenLanding(base))) drop('metadata.premathLanding', premathLanding)
  return kept
}

/** Two holders with the same lease id and fence cannot be told apart. */
function isSharedName(a: Issue, b: Issue): boolean {
  if (!a.lease || !b.lease || fenceOf(a) !== fenceOf(b)) return false
  return a.lease.lease_id === b.lease.lease_id && a.lease.acquired_at !== b.lease.acquired_at
}

/** Drops the lease of both holders. The next claim gets a new fence. */
function released({ newer, older }: Sides<Issue>, drop: Drop): State {
  for (const { lease } of [newer, older]) drop('lease', leaseJson(lease))
  return { status: 'open', closed_at: undefined, assignee: '', lease: undefined }
}

/**
 * A lease that a larger fence on the other side voided does not stay. Renewing is not a change of
 * the work, so the side with other changes wins. Otherwise the newer side does.
 */
function heldSide({ base, newer, older }: Sides<Issue>): Issue {
  const isVoid = (one: Issue, other: Issue) => one.lease && fenceOf(one) < fenceOf(other)
  if (isVoid(newer, older)) return older
  if (isVoid(older, newer)) return newer
  const onlyRenewed = (side: Issue) =>
    stateFields.every(name => isSame(workValue(side, name), workValue(base, name)))
  return onlyRenewed(newer) && !onlyRenewed(older) ? older : newer
}

/** The value without the members that a renewal changes. */
function workValue(issue: Issue, name: (typeof stateFields)[number]): Json | undefined {
  if (name !== 'lease') return issue[name]
  const { lease } = issue
  return lease && [lease.lease_id, lease.owner, lease.acquired_at]
}

/** The side that changed a field; the preferred one if both did. */
function oneSide(
  sides: Sides<Issue>,
  names: readonly (typeof stateFields)[number][],
  preferred: Issue,
  drop: Drop,
): Issue {
  const { base, newer, older } = sides
  const same = (a: Issue, b: Issue) => names.every(name => isSame(value(a, name), value(b, name)))
  if (same(newer, older) || same(older, base)) return newer
  if (same(newer, base)) return older
  listLost(sides, preferred, names, drop)
  return preferred
}

/** Changes of the other side that are lost. */
function listLost(
  { base, newer, older }: Sides<Issue>,
  kept: Issue,
  names: readonly (typeof stateFields)[number][],
  drop: Drop,
): void {
  const lost = kept === newer ? older : newer
  for (const name of names) {
    const gave = workValue(lost, name)
    if (isSame(gave, workValue(kept, name)) || isSame(gave, workValue(base, name))) continue
    drop(name, value(lost, name))
  }
}

const value = (issue: Issue, name: (typeof stateFields)[number]): Json | undefined =>
  name === 'lease' ? leaseJson(issue.lease) : issue[name]

const leaseJson = (lease: Lease | undefined): JsonObject | undefined =>
  lease && (JSON.parse(JSON.stringify(lease)) as JsonObject)

/** Edges are a set by source, type and target. An edge removed by one side stays removed. */
function mergeEdges(
  { base, newer, older }: Sides<readonly Dependency[]>,
  drop: Drop,
): readonly Dependency[] {
  const [was, left, right] = [edgesByName(base), edgesByName(newer), edgesByName(older)]
  if (sameEdges(left, right) || sameEdges(right, was)) return newer
  if (sameEdges(left, was)) return older
  const stays = ([name]: readonly [string, Dependency]) =>
    was.has(name) ? left.has(name) && right.has(name) : true
  return [...new Map([...right, ...left])]
    .filter(stays)
    .map(([name, edge]) => {
      const created_by = mergeValue(
        `dependencies.${edge.depends_on_id}.${edge.type}.created_by`,
        {
          base: was.get(name)?.created_by ?? '',
          newer: (left.get(name) ?? edge).created_by,
          older: (right.get(name) ?? edge).created_by,
        },
        drop,
      )
      return { ...edge, created_by }
    })
    .sort(byDependency)
}

const edgesByName = (edges: readonly Dependency[]) =>
  new Map(edges.map(edge => [`${edge.issue_id} ${edge.type} ${edge.depends_on_id}`, edge]))

type Edges = ReadonlyMap<string, Dependency>

const sameEdges = (a: Edges, b: Edges) =>
  a.size === b.size && [...a].every(([name, edge]) => b.get(name)?.created_by === edge.created_by)
