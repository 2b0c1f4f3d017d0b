/** Merges the state of an issue: whether it is open, and who works on it. */
import type { Lease } from '../../../wire/issue/issue.ts'
import type { Json, JsonObject } from '../../json.ts'
import { instantOf } from '../../timestamp.ts'
import { fenceOf, type Issue } from '../issue.ts'
import { closeOf } from '../issue-metadata.ts'
import { isLanding } from '../landing/landing-state.ts'
import { type Drop, isSame, mergeValue, type Sides } from './three-way.ts'

const stateFields = ['status', 'closed_at', 'assignee', 'lease'] as const
type State = Pick<Issue, (typeof stateFields)[number]>

interface MergedState {
  readonly state: State
  /** The side that decided the status, whose record of a close belongs to it. */
  readonly from?: Issue
  /** The fence from which the next claim counts on, if the merge ended both leases. */
  readonly fence?: number
}

/**
 * Status and the time of closing come from one side. Where a lease is involved, assignee and lease
 * come from the same: together they say who works on the issue.
 */
export function mergeState(sides: Sides<Issue>, drop: Drop): MergedState {
  const { base, newer, older } = sides
  const ended = closedSide(sides)
  if (ended) {
    const { from, isKnown } = ended
    return { state: stateOf(sides, from, isKnown ? () => undefined : drop), from }
  }
  if (!base.lease && !newer.lease && !older.lease) {
    const from = oneSide(sides, ['status', 'closed_at'], newer, drop)
    const assignees = { base: base.assignee, newer: newer.assignee, older: older.assignee }
    const assignee = mergeValue('assignee', assignees, drop)
    const { status, closed_at } = from
    return { state: { status, closed_at, assignee, lease: undefined }, from }
  }
  if (isSharedName(newer, older)) return released(sides, drop)
  const from = heldSide(sides)
  return { state: stateOf(sides, from, drop), from }
}

function stateOf(sides: Sides<Issue>, kept: Issue, drop: Drop): State {
  listLost(sides, kept, stateFields, drop)
  const { status, closed_at, assignee, lease } = kept
  return { status, closed_at, assignee, lease }
}

interface Ended {
  readonly from: Issue
  /** It knew the close of the other side, so nothing gave way. */
  readonly isKnown?: true
}

/**
 * The side that decides about a close. A close with a record wins over work on the other side, which
 * did not know it: a claim only promises what the close has. Whoever reopened the issue knew it.
 */
function closedSide({ base, newer, older }: Sides<Issue>): Ended | undefined {
  const isNew = (one: Issue) => base.status !== 'closed' || one.closed_at !== base.closed_at
  const [one, other] = newer.status === 'closed' ? [newer, older] : [older, newer]
  if (one.status !== 'closed') return undefined
  if (other.status === 'closed') {
    if (!isNew(one) || !isNew(other)) return undefined
    return { from: isProven(other) && !isProven(one) ? other : one }
  }
  const close = closeOf(one)
  if (close && isSame(closeOf(other), close)) {
    const closedAgain = base.status !== 'closed' && isSame(closeOf(base), close)
    return closedAgain ? { from: one } : { from: other, isKnown: true }
  }
  return isNew(one) && (close || isLanding(other)) ? { from: one } : undefined
}

const isProven = (issue: Issue): boolean => {
  const { by } = closeOf(issue) ?? {}
  return by !== undefined && by !== 'force'
}

/** The record of the close that the merged status is about. */
export function mergeClose(
  { base, newer, older }: Sides<Issue>,
  from: Issue | undefined,
  drop: Drop,
): JsonObject | undefined | 'either' {
  if (!from || (from.status !== 'closed' && newer.status === older.status)) return 'either'
  const lost = from === newer ? older : newer
  const [kept, gone] = [closeOf(from), closeOf(lost)]
  if (gone && !isSame(gone, kept) && !isSame(gone, closeOf(base))) {
    drop('metadata.premathClose', gone, lost.updated_at)
  }
  return kept
}

/** Two holders with the same lease id and fence cannot be told apart. */
function isSharedName(a: Issue, b: Issue): boolean {
  if (!a.lease || !b.lease || fenceOf(a) !== fenceOf(b)) return false
  return a.lease.lease_id === b.lease.lease_id && a.lease.acquired_at !== b.lease.acquired_at
}

/** Drops the lease of both holders. The fence is one that neither of them has. */
function released({ newer, older }: Sides<Issue>, drop: Drop): MergedState {
  for (const { lease, updated_at } of [newer, older]) drop('lease', leaseJson(lease), updated_at)
  const state = { status: 'open', closed_at: undefined, assignee: '', lease: undefined }
  return { state, fence: fenceOf(newer) + 1 }
}

/**
 * A lease that a larger fence on the other side voided does not stay. Renewing is not a change of
 * the work, so the side with other changes wins. Otherwise the newer side does.
 */
function heldSide({ base, newer, older }: Sides<Issue>): Issue {
  const isVoid = (one: Issue, other: Issue) => one.lease && fenceOf(one) < fenceOf(other)
  if (isVoid(newer, older)) return older
  if (isVoid(older, newer)) return newer
  if (isReleaseOf(newer, older)) return newer
  if (isReleaseOf(older, newer)) return older
  const onlyRenewed = (side: Issue) =>
    stateFields.every(name => isSame(workValue(side, name), workValue(base, name)))
  return onlyRenewed(newer) && !onlyRenewed(older) ? older : newer
}

/**
 * A release keeps the fence of the lease, so a row that has it and is not older was written by somebody
 * who knew that lease. Compared with the base alone, it can look like a row that nobody ever claimed.
 */
const isReleaseOf = (one: Issue, other: Issue): boolean =>
  one.lease === undefined &&
  other.lease !== undefined &&
  fenceOf(one) === fenceOf(other) &&
  (instantOf(one.updated_at ?? '') ?? 0n) >= (instantOf(other.updated_at ?? '') ?? 0n)

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
    drop(name, value(lost, name), lost.updated_at)
  }
}

const value = (issue: Issue, name: (typeof stateFields)[number]): Json | undefined =>
  name === 'lease' ? leaseJson(issue.lease) : issue[name]

const leaseJson = (lease: Lease | undefined): JsonObject | undefined =>
  lease && (JSON.parse(JSON.stringify(lease)) as JsonObject)
