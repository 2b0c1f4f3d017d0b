/**
 * Merges one issue field by field. If both sides changed a field, the newer row wins and the other
 * value is kept in metadata. There it is committed with the merge, visible to all, and merged like
 * any set. git does not let a merge driver write other files.
 */

import type { Dependency } from '../../../wire/issue/issue.ts'
import { canonicalJson } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { instantOf } from '../../timestamp.ts'
import { isLower, withFence } from '../forward/fences.ts'
import { blankIssue, byDependency, fenceOf, type Issue, printIssue } from '../issue.ts'
import { commentsMember, isList } from '../issue-comment.ts'
import { closeOf } from '../issue-metadata.ts'
import { writtenLanding } from '../landing/landing-state.ts'
import { mergeComments } from './comment-merge.ts'
import { closeKey, mergeMetadata, withConflicts } from './metadata-merge.ts'
import { mergeClose, mergeState } from './state-merge.ts'
import { type Drop, isSame, mergeMembers, mergeSet, mergeValue, type Sides } from './three-way.ts'

/** A value that lost to the other side. */
export interface Dropped {
  readonly field: string
  readonly value: Json
  /** The time of its row. */
  readonly updated_at?: string
}

interface MergedRow {
  readonly issue: Issue
  readonly dropped: readonly Dropped[]
}

/** `base` is `undefined` where both sides added the issue. */
export function mergeRow(base: Issue | undefined, ours: Issue, theirs: Issue): MergedRow {
  const [our, their] = [printIssue(ours), printIssue(theirs)]
  if (our === their) return { issue: ours, dropped: [] }
  const [newer, older] = isNewer(ours, theirs) ? [ours, theirs] : [theirs, ours]
  if (base && isMadeFrom(base, ours) && isMadeFrom(base, theirs)) {
    const was = printIssue(base)
    if (their === was) return { issue: ours, dropped: [] }
    if (our === was) return { issue: theirs, dropped: [] }
    return mergeSides({ base, newer, older })
  }
  return mergeSides({ base: blankIssue(ours.id, ''), newer, older })
}

/** A change is dated after the row that it changes, but a person can take an older row in a merge. */
export function isMadeFrom(base: Issue, row: Issue): boolean {
  const [before, after] = [base, row].map(({ updated_at }) => instantOf(updated_at ?? ''))
  return knows(row, base) && !(before && after && after < before)
}

/**
 * An issue keeps its time of creation and its comments, its fence only grows, and a reopened one keeps
 * the record of its close. A row without these was written by somebody who did not know the other one.
 */
export function knows(row: Issue, other: Issue): boolean {
  const [made, known] = [row.created_at, other.created_at]
  if (made !== known && made !== undefined && known !== undefined) return false
  if (isLower(fenceOf(row), fenceOf(other)) || isOtherHolder(row, other)) return false
  const close = other.status === 'closed' ? closeOf(other) : undefined
  if (close && row.status !== 'closed' && !isSame(closeOf(row), close)) return false
  const said = new Set(commentTexts(row))
  return commentTexts(other).every(text => said.has(text))
}

/** Two clones gave out one fence. A renewal changes neither the id of a lease nor its beginning. */
const isOtherHolder = (row: Issue, other: Issue): boolean =>
  row.lease !== undefined &&
  other.lease !== undefined &&
  fenceOf(row) === fenceOf(other) &&
  (row.lease.lease_id !== other.lease.lease_id || row.lease.acquired_at !== other.lease.acquired_at)

/** The id of the issue in a comment changes with that of the issue. */
function commentTexts({ others }: Issue): readonly string[] {
  const comments = others?.[commentsMember]
  if (!isList(comments)) return []
  return comments.map(one => canonicalJson(isJsonObject(one) ? { ...one, issue_id: null } : one))
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
  const drop: Drop = (field, value = null, updated_at = older.updated_at) =>
    void dropped.push({ field, value, ...(updated_at !== undefined && { updated_at }) })
  const plain = plainFields.map(name => [name, mergeValue(name, pick(sides, name), drop)] as const)
  const { state, from, fence = 0 } = mergeState(sides, drop)
  const merged: Issue = {
    ...newer,
    ...(Object.fromEntries(plain) as Pick<Issue, (typeof plainFields)[number]>),
    ...state,
    created_at: mergeCreated(pick(sides, 'created_at')),
    updated_at: newer.updated_at ?? older.updated_at,
    labels: mergeSet(pick(sides, 'labels')),
    dependencies: mergeEdges(pick(sides, 'dependencies'), drop),
    others: mergeMembers(pick(sides, 'others'), (name, member) =>
      name === commentsMember ? mergeComments(name, member, drop) : mergeValue(name, member, drop),
    ),
  }
  const members = withClose(
    mergeMetadata(pick(sides, 'metadata'), drop),
    mergeClose(sides, from, drop),
  )
  const metadata = merged.status === 'closed' ? landingOver(sides, members, drop) : members
  const issue = {
    ...merged,
    metadata: withConflicts(
      metadata,
      dropped.map(value => ({ ...value })),
    ),
  }
  return { issue: withFence(issue, fence), dropped }
}

function withClose(
  metadata: JsonObject | undefined,
  close: ReturnType<typeof mergeClose>,
): JsonObject | undefined {
  if (close === 'either' || isSame(metadata?.[closeKey], close)) return metadata
  if (close !== undefined) return { ...metadata, [closeKey]: close }
  const { [closeKey]: _other, ...kept } = metadata ?? {}
  return kept
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
