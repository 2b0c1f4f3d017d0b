/** Decides every change of issue memory, from rows, time and the caller's proof. */

import type { Comment, DependencyType, Lease } from '../../wire/issue/issue.ts'
import type { CloseProof } from '../proof/close-proof.ts'
import type { Landed } from '../proof/landed.ts'
import { closeRecord } from './close-record.ts'
import type { Blocker } from './graph/blocked.ts'
import {
  addDependency,
  type EdgeName,
  removeDependency,
  replaceDependency,
} from './graph/dependency-edit.ts'
import type { Issue } from './issue.ts'
import { commentOn, type NewComment } from './issue-comment.ts'
import {
  type Added,
  addIssue,
  discoverIssue,
  type IssueFields,
  stamped,
  updateIssue,
  withNote,
  withStatus,
} from './issue-edit.ts'
import { type ImportConflict, importIssues } from './issue-import.ts'
import type { IssueMemory } from './issue-memory.ts'
import { withMetadata } from './issue-metadata.ts'
import { type IssueRefusal, isRefusal, issueNotFound, refuse } from './issue-refusal.ts'
import { beginLanding, finishLanding, undoLanding } from './landing/landing.ts'
import { type LandingPlan, landingRefusal, type Revert } from './landing/landing-state.ts'
import { beginRevert } from './landing/revert-begin.ts'
import {
  type ClaimRequest,
  checkHolder,
  claimIssue,
  claimNext,
  type LeaseProof,
  releaseLease,
  renewLease,
} from './lease.ts'
import { movedLeaseRefusal } from './moved-lease.ts'

type NewIssue = IssueFields & { readonly title: string; readonly id?: string | undefined }

/** A change of one issue with the proof of its lease, if the issue is leased. */
type Guarded = { readonly proof: LeaseProof }

export type IssueChange =
  | ({ readonly action: 'issue.add' } & { readonly issue: NewIssue })
  | ({ readonly action: 'issue.update'; readonly id: string } & Guarded & {
        readonly fields: IssueFields
        /** Proof that the work is done; required to close. */
        readonly done?: CloseProof | undefined
        /** The path of the turn witness, for the proof. */
        readonly turn?: string | undefined
        /** Why there is no such proof, for the refusal. */
        readonly undone?: IssueRefusal | undefined
        /** Only asks if the close would be admitted with its proof: nothing changes. */
        readonly asks?: true
      })
  | ({ readonly action: 'issue.block'; readonly id: string } & Guarded & {
        /** The reason, appended to the issue's notes. */
        readonly note: string
      })
  | {
      /** Needs no lease: people comment on work in progress. */
      readonly action: 'issue.comment'
      readonly id: string
      readonly comment: NewComment
    }
  | {
      readonly action: 'issue.discover'
      readonly parentId: string
      readonly issue: NewIssue
      /** A key of the finding. While an issue with this key is open, no other is added. */
      readonly once?: string | undefined
      /** Proof of the parent's lease, if it has one. */
      readonly proof?: LeaseProof | undefined
    }
  | { readonly action: 'issue.claim'; readonly id: string; readonly claim: ClaimRequest }
  | { readonly action: 'issue.claim_next'; readonly claim: ClaimRequest }
  | {
      readonly action: 'issue.lease_renew'
      readonly id: string
      readonly proof: LeaseProof
      readonly term: Pick<ClaimRequest, 'ttlSeconds' | 'expiresAt'>
    }
  | { readonly action: 'issue.lease_release'; readonly id: string; readonly proof: LeaseProof }
  | ({ readonly action: 'issue.land_begin'; readonly id: string } & Guarded & {
        readonly landing: LandingPlan
        /** Proof that the work is done, on the tree of the commit. */
        readonly done: CloseProof
        /** The path of the turn witness, for the proof. */
        readonly turn?: string | undefined
      })
  | {
      readonly action: 'issue.revert_begin'
      readonly id: string
      readonly landing: LandingPlan
      readonly revert: Revert
    }
  | { readonly action: 'issue.land_finish'; readonly id: string; readonly landed: Landed }
  | { readonly action: 'issue.land_undo'; readonly id: string; readonly commit: string }
  | ({
      readonly action: 'dep.add'
      readonly edge: EdgeName & { readonly createdBy: string }
    } & Guarded)
  | ({ readonly action: 'dep.remove'; readonly edge: EdgeName } & Guarded)
  | ({
      readonly action: 'dep.replace'
      readonly edge: EdgeName & { readonly toType: DependencyType; readonly createdBy: string }
    } & Guarded)
  | {
      readonly action: 'issue.import'
      readonly rows: readonly Issue[]
      readonly onConflict: ImportConflict
    }

/** The result of a change: rows to append and data for the answer. */
export interface IssueChanged {
  /** Empty if nothing had to change. */
  readonly rows: readonly Issue[]
  readonly issue: Issue | undefined
  readonly previous?: Lease | undefined
  readonly alreadyHeld?: boolean
  /** What a claimed issue waits for; absent if it waits for nothing. */
  readonly blockers?: readonly Blocker[]
  /** The comment that was added. */
  readonly comment?: Comment
}

/** Time and new ids, passed in. */
interface ChangeStamp {
  /** Nanoseconds since 1970. */
  readonly now: bigint
  /** A free id for a new issue. */
  newId(memory: IssueMemory): string
}

export function decideChange(
  memory: IssueMemory,
  change: IssueChange,
  stamp: ChangeStamp,
): IssueChanged | IssueRefusal {
  const decided = decisionOn(memory, change, stamp)
  const id = isRefusal(decided) ? leasedId(change) : undefined
  if (!isRefusal(decided) || id === undefined) return decided
  const { leaseId } = ('proof' in change && change.proof) || {}
  return movedLeaseRefusal(decided, memory, { id, leaseId }) ?? decided
}

function decisionOn(
  memory: IssueMemory,
  change: IssueChange,
  stamp: ChangeStamp,
): IssueChanged | IssueRefusal {
  const { now } = stamp
  const refused = duringLanding(memory, change) ?? holderRefusal(memory, change, now)
  if (refused) return refused
  switch (change.action) {
    case 'issue.add': {
      const id = change.issue.id ?? stamp.newId(memory)
      const isGiven = change.issue.id !== undefined
      return notClosed(addIssue(memory, id, fieldsOf(change.issue), now, isGiven))
    }
    case 'issue.discover': {
      const id = change.issue.id ?? stamp.newId(memory)
      const { parentId, issue, once } = change
      return notClosed(
        discoverIssue(
          memory,
          { parentId, id, isGiven: issue.id !== undefined, once, fields: fieldsOf(issue) },
          now,
        ),
      )
    }
    case 'issue.update':
      return closedWithProof(memory, change, updateIssue(memory, change.id, change.fields, now))
    case 'issue.block':
      return blockIssue(memory, change.id, change.note, now)
    case 'issue.comment':
      return commentOn(memory, change.id, change.comment, now)
    case 'issue.claim':
      return claimIssue(memory, change.id, change.claim, now)
    case 'issue.claim_next':
      return claimNext(memory, change.claim, now)
    case 'issue.lease_renew':
      return renewLease(memory, change.id, change.proof, change.term, now)
    case 'issue.lease_release':
      return releaseLease(memory, change.id, change.proof, now)
    case 'issue.land_begin':
      return beginLanding(memory, change.id, change, now)
    case 'issue.revert_begin':
      return beginRevert(memory, change.id, change, now)
    case 'issue.land_finish':
      return finishLanding(memory, change.id, change.landed, now)
    case 'issue.land_undo':
      return undoLanding(memory, change.id, change.commit, now)
    case 'dep.add':
      return addDependency(memory, change.edge, now)
    case 'dep.remove':
      return removeDependency(memory, change.edge, now)
    case 'dep.replace':
      return replaceDependency(memory, change.edge, now)
    case 'issue.import':
      return importIssues(memory, change.rows, change.onConflict, now)
  }
}

const fieldsOf = ({ id: _id, ...fields }: NewIssue) => fields

/** A new issue cannot start as closed. */
function notClosed(added: Added | IssueRefusal): Added | IssueRefusal {
  if (isRefusal(added) || added.issue.status !== 'closed') return added
  const remedy = 'Add it open, and close it with proof, or with --force and a reason.'
  return refuse('close_proof_missing', 'an issue cannot be added closed', remedy)
}

/** An issue closes with proof, recorded in its row. A closed one stays closed without. */
function closedWithProof(
  memory: IssueMemory,
  { id, done, undone, asks }: Extract<IssueChange, { readonly action: 'issue.update' }>,
  updated: Added | IssueRefusal,
): IssueChanged | IssueRefusal {
  if (isRefusal(updated)) return updated
  if (asks) return { rows: [], issue: memory.get(id) }
  const { issue } = updated
  if (issue.status !== 'closed' || memory.get(id)?.status === 'closed') return updated
  const premathClose = closeRecord(issue, done, undone)
  if (isRefusal(premathClose)) return premathClose
  const closed = { ...issue, metadata: withMetadata(issue, { premathClose }) }
  return { rows: [closed], issue: closed }
}

/** An issue that is landing is neither claimed, edited nor released, not even by its holder. */
function duringLanding(memory: IssueMemory, change: IssueChange): IssueRefusal | undefined {
  const id = heldByLanding(change)
  const issue = id === undefined ? undefined : memory.get(id)
  return issue && landingRefusal(issue)
}

function heldByLanding(change: IssueChange): string | undefined {
  switch (change.action) {
    case 'issue.block':
    case 'issue.claim':
    case 'issue.comment':
    case 'issue.lease_release':
    case 'issue.update':
      return change.id
    case 'dep.add':
    case 'dep.remove':
    case 'dep.replace':
      return change.edge.issueId
    default:
      return undefined
  }
}

/** Only the holder may change a leased issue; an expired worker's write is refused. */
function holderRefusal(
  memory: IssueMemory,
  change: IssueChange,
  now: bigint,
): IssueRefusal | undefined {
  const id = guardedId(change)
  const issue = id === undefined ? undefined : memory.get(id)
  return issue && checkHolder(issue, ('proof' in change && change.proof) || {}, now)
}

/** The issue whose lease a change gives proof of. */
const leasedId = (change: IssueChange): string | undefined =>
  change.action === 'issue.lease_renew' || change.action === 'issue.lease_release'
    ? change.id
    : guardedId(change)

function guardedId(change: IssueChange): string | undefined {
  switch (change.action) {
    case 'issue.block':
    case 'issue.land_begin':
    case 'issue.update':
      return change.id
    case 'issue.discover':
      return change.parentId
    case 'dep.add':
    case 'dep.remove':
    case 'dep.replace':
      return change.edge.issueId
    default:
      return undefined
  }
}

/**
 * Marks an issue blocked and appends the reason to its notes, once. Decided from the row, so that a
 * concurrent note is kept.
 */
export function blockIssue(
  memory: IssueMemory,
  id: string,
  note: string,
  now: bigint,
): { readonly rows: readonly Issue[]; readonly issue: Issue } | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return issueNotFound(id)
  if (issue.status === 'closed') {
    const remedy = 'Nothing waits for it any more. Reopen it first if that is wrong.'
    return refuse('issue_closed', `${id} is closed`, remedy)
  }
  const notes = withNote(issue.notes, note)
  if (issue.status === 'blocked' && notes === issue.notes) return { rows: [], issue }
  // Clears the worker's name, which would keep others from claiming the issue.
  const assignee = issue.lease?.owner === issue.assignee ? '' : issue.assignee
  const blocked = withStatus({ ...stamped(issue, now), notes, assignee }, 'blocked', now)
  return { rows: [blocked], issue: blocked }
}
