/** Decides how a revert ends: the issue is open again, or closed as before. */
import { isJsonObject } from '../../json.ts'
import { timestampOf } from '../../timestamp.ts'
import type { Issue } from '../issue.ts'
import { stamped, withNote, withStatus } from '../issue-edit.ts'
import { withMetadata } from '../issue-metadata.ts'
import { type Landing, withoutLanding } from './landing-state.ts'

/** The last revert of an issue. */
export interface Reverted {
  /** The commit that took the work back. */
  readonly commit: string
  /** The commit with which the issue had closed. */
  readonly landed: string
  readonly target: string
  readonly at: string
  readonly reason?: string | undefined
}

/** The commit that reverts is on the target. Its proof is kept, and counts no more. */
export function finishRevert(
  issue: Issue,
  { commit, target, revert }: Landing,
  now: bigint,
): { readonly rows: readonly Issue[]; readonly issue: Issue } {
  const landed = revert?.landed ?? ''
  const reason = revert?.reason
  const why = reason === undefined ? '' : `: ${reason}`
  const note = `Commit ${landed} was reverted on ${target} by ${commit}${why}`
  const notes = withNote(issue.notes, note)
  // Its last worker would keep others from claiming it.
  const ended = withStatus(
    { ...withoutLanding(stamped(issue, now)), notes, assignee: '' },
    'open',
    now,
  )
  const premathReverted = {
    commit,
    landed,
    target,
    at: timestampOf(now),
    ...(reason !== undefined && { reason }),
  }
  const open = { ...ended, metadata: withMetadata(ended, { premathReverted }) }
  return { rows: [open], issue: open }
}

/** The revert did not land. */
export const closedAgain = (issue: Issue, { closedAt }: Landing, now: bigint): Issue => ({
  ...withStatus(withoutLanding(stamped(issue, now)), 'closed', now),
  closed_at: closedAt,
})

export function revertedOf({ metadata }: Issue): Reverted | undefined {
  const written = isJsonObject(metadata) ? metadata['premathReverted'] : undefined
  if (!isJsonObject(written)) return undefined
  const { commit, landed, target, at, reason } = written
  if (typeof commit !== 'string' || typeof landed !== 'string') return undefined
  if (typeof target !== 'string' || typeof at !== 'string') return undefined
  return { commit, landed, target, at, ...(typeof reason === 'string' && { reason }) }
}
