/** Claims, renews and releases leases, and checks fences. */

import type { Lease } from '../../wire/issue/issue.ts'
import { lowerAscii, trim } from '../text/clean.ts'
import { instantOf, laterOf, seconds, timestampOf } from '../timestamp.ts'
import { type Blocker, openBlockersOf } from './graph/blocked.ts'
import { fenceOf, type Issue } from './issue.ts'
import { stamped } from './issue-edit.ts'
import type { IssueMemory } from './issue-memory.ts'
import { withMetadata } from './issue-metadata.ts'
import { type IssueRefusal, idHint, refuse } from './issue-refusal.ts'
import { leaseStateAt } from './lease-state.ts'
import {
  isLeaseTerm,
  leaseTermRange,
  leaseTtlSecondsDefault,
  leaseTtlSecondsMax,
} from './lease-term.ts'
import { offered } from './offered.ts'

export interface ClaimRequest {
  readonly assignee: string
  readonly leaseId?: string | undefined
  readonly ttlSeconds?: number | undefined
  readonly expiresAt?: string | undefined
  /** Issues to skip. */
  readonly except?: { has(id: string): boolean } | undefined
}

export interface Claimed {
  readonly rows: readonly Issue[]
  readonly issue: Issue | undefined
  /** The previous holder, if the lease was taken over. */
  readonly previous?: Lease | undefined
  /** The claimer already held it: the fence stays the same. */
  readonly alreadyHeld?: boolean
  /** What the claimed issue waits for. A claim is no promise that the work can begin. */
  readonly blockers?: readonly Blocker[]
}

export function claimIssue(
  memory: IssueMemory,
  id: string,
  request: ClaimRequest,
  now: bigint,
): Claimed | IssueRefusal {
  const expiry = expiryOf(request, now)
  if (typeof expiry !== 'string') return expiry
  const issue = memory.get(id)
  if (!issue) return refuse('lease_not_found', `issue not found: ${id}`, idHint(id, memory))
  if (issue.status === 'closed') {
    return refuse('lease_issue_closed', `${id} is closed`, 'Reopen it first, or claim another.')
  }
  const holder = otherHolder(issue, trim(request.assignee), now)
  if (holder !== undefined) {
    const until = issue.lease ? ` until ${issue.lease.expires_at}` : ''
    const diagnostic = `${id} is already claimed by ${holder}${until}`
    return refuse('lease_contention_active', diagnostic, 'Take other work: premath issue ready.')
  }
  if (!canBeFenced(issue)) return badFence(issue)
  const claimed = acquire(issue, request, expiry, now)
  const blockers = openBlockersOf(memory, issue)
  return blockers.length > 0 ? { ...claimed, blockers } : claimed
}

function badFence({ id }: Issue): IssueRefusal {
  const diagnostic = `metadata.premathFence of ${id} is no number to count on from`
  const remedy = 'Somebody edited the row by hand: put back the last fence, or a larger one.'
  return refuse('lease_fence_invalid', diagnostic, remedy)
}

/** A fence that cannot grow would let an expired worker write. */
function canBeFenced(issue: Issue): boolean {
  const fence = fenceOf(issue)
  return fence >= 0 && Number.isSafeInteger(fence + 1)
}

/** Claims the best ready issue or expired claim. No issue is a valid answer. */
export function claimNext(
  memory: IssueMemory,
  request: ClaimRequest,
  now: bigint,
): Claimed | IssueRefusal {
  const expiry = expiryOf(request, now)
  if (typeof expiry !== 'string') return expiry
  const free = freeWork(memory, request, now)
  let damaged: Issue | undefined
  for (const issue of free) {
    if (canBeFenced(issue)) return acquire(issue, request, expiry, now)
    damaged ??= issue
  }
  // There is work that cannot be claimed, which must not look like no work.
  return damaged ? badFence(damaged) : { rows: [], issue: undefined }
}

/** Best first. */
function* freeWork(
  memory: IssueMemory,
  { assignee: given, except }: ClaimRequest,
  now: bigint,
): Iterable<Issue> {
  const assignee = trim(given)
  for (const offer of offered(memory, now)) {
    if (except?.has(offer.id)) continue
    // It is assigned to someone else. An expired claim is free for all.
    if (offer.assignee !== '' && offer.assignee !== assignee && !offer.left) continue
    const issue = memory.get(offer.id)
    if (issue) yield issue
  }
}

/** Evidence that a change comes from the holder of a lease. */
export interface LeaseProof {
  readonly assignee?: string | undefined
  readonly leaseId?: string | undefined
  readonly fence?: number | undefined
  /**
   * It comes from the environment and may belong to another issue: it counts only if this issue is
   * held.
   */
  readonly ambient?: boolean
}

export function renewLease(
  memory: IssueMemory,
  id: string,
  proof: LeaseProof,
  term: Pick<ClaimRequest, 'ttlSeconds' | 'expiresAt'>,
  now: bigint,
): Claimed | IssueRefusal {
  const expiry = expiryOf({ ...term, assignee: proof.assignee ?? '' }, now)
  if (typeof expiry !== 'string') return expiry
  if (trim(proof.leaseId ?? '') === '') {
    return refuse('lease_id_mismatch', 'the lease id is missing', proofHint)
  }
  const issue = memory.get(id)
  if (!issue) return refuse('lease_not_found', `issue not found: ${id}`, idHint(id, memory))
  if (issue.status === 'closed') return refuse('lease_issue_closed', `${id} is closed`, stopHint)
  const { lease } = issue
  if (!lease) return staleFence(issue, proof) ?? noLease(id)
  const mismatch = holderMismatch(issue, proof, now)
  if (mismatch) return mismatch
  const renewed = renewedAt(lease, keptExpiry(lease, expiry, term, now), now)
  const row = {
    ...stamped(issue, now),
    assignee: lease.owner,
    status: 'in_progress',
    lease: renewed,
  }
  return { rows: [row], issue: row }
}

/** Releases the issue. Anyone may release an issue whose lease has expired. */
export function releaseLease(
  memory: IssueMemory,
  id: string,
  proof: LeaseProof,
  now: bigint,
): Claimed | IssueRefusal {
  const issue = memory.get(id)
  if (!issue) return refuse('lease_not_found', `issue not found: ${id}`, idHint(id, memory))
  if (!issue.lease) {
    const expected = [proof.assignee, proof.leaseId, proof.fence].some(part => part !== undefined)
    return expected ? (staleFence(issue, proof) ?? noLease(id)) : { rows: [], issue }
  }
  const isStale = leaseStateAt(issue.lease, now) === 'stale'
  const mismatch = isStale ? partMismatch(issue, proof) : holderMismatch(issue, proof, now)
  if (mismatch) return mismatch
  const status = issue.status === 'in_progress' ? 'open' : issue.status
  const row = { ...stamped(issue, now), assignee: '', status, lease: undefined }
  return { rows: [row], issue: row, previous: issue.lease }
}

/** Checks that a change comes from the holder, if the issue is held or proof is given. */
export function checkHolder(
  issue: Issue,
  proof: LeaseProof,
  now: bigint,
): IssueRefusal | undefined {
  const given =
    (proof.leaseId !== undefined || proof.fence !== undefined) && !(proof.ambient && !issue.lease)
  if (!given && leaseStateAt(issue.lease, now) !== 'active') return undefined
  if (!issue.lease) return staleFence(issue, proof) ?? noLongerLeased(issue.id)
  return holderMismatch(issue, proof, now)
}

/** Checks that the issue is leased, for a change that needs a holder. */
export function checkLeased({ id, lease }: Issue, now: bigint): IssueRefusal | undefined {
  if (!lease) return noLease(id)
  return leaseStateAt(lease, now) === 'stale' ? leaseEnded(id, lease) : undefined
}

/** Why the caller does not hold the lease. An old fence explains most, so it is checked first. */
function holderMismatch(issue: Issue, proof: LeaseProof, now: bigint): IssueRefusal | undefined {
  const { id, lease } = issue
  if (!lease) return undefined
  const overtaken = staleFence(issue, proof)
  if (overtaken) return overtaken
  if (leaseStateAt(lease, now) === 'stale') return leaseEnded(id, lease)
  const mismatch = partMismatch(issue, proof)
  if (mismatch) return mismatch
  // Rows leased by an earlier tool have no fence yet.
  const isWhole = proof.leaseId !== undefined && (proof.fence !== undefined || fenceOf(issue) === 0)
  if (isWhole) return undefined
  const diagnostic = `${id} is leased by ${lease.owner} until ${lease.expires_at}`
  return refuse('lease_proof_missing', diagnostic, proofHint)
}

/** The fence of an earlier claim: another worker has held the issue since. */
function staleFence(issue: Issue, { fence }: LeaseProof): IssueRefusal | undefined {
  const last = fenceOf(issue)
  if (fence === undefined || fence >= last) return undefined
  const diagnostic = `fence ${fence} of ${issue.id} is over: the last one given out is ${last}`
  return refuse('lease_fence_stale', diagnostic, stopHint)
}

/** The first part of the proof that does not match the lease. */
function partMismatch(issue: Issue, proof: LeaseProof): IssueRefusal | undefined {
  const { id, lease } = issue
  if (!lease) return undefined
  if (proof.assignee !== undefined && trim(proof.assignee) !== lease.owner) {
    return refuse('lease_owner_mismatch', `${id} is held by ${lease.owner}`, stopHint)
  }
  if (proof.leaseId !== undefined && trim(proof.leaseId) !== lease.lease_id) {
    const diagnostic = `the lease on ${id} is ${lease.lease_id}, not ${proof.leaseId}`
    return refuse('lease_id_mismatch', diagnostic, stopHint)
  }
  const fence = fenceOf(issue)
  if (proof.fence !== undefined && proof.fence !== fence) {
    const diagnostic = `the fence of ${id} is ${fence}, not ${proof.fence}`
    return refuse('lease_fence_stale', diagnostic, stopHint)
  }
  return undefined
}

const leaseEnded = (id: string, { expires_at }: Lease) =>
  refuse('lease_stale', `the lease on ${id} ran out at ${expires_at}`, stopHint)

const noLease = (id: string) => refuse('lease_missing', `${id} is not leased`, claimHint)

const noLongerLeased = (id: string) =>
  refuse('lease_missing', `${id} is not leased any more`, stopHint)

/** Someone else who has a right to the issue now. */
function otherHolder(issue: Issue, assignee: string, now: bigint): string | undefined {
  const state = leaseStateAt(issue.lease, now)
  if (state === 'active') return issue.lease?.owner === assignee ? undefined : issue.lease?.owner
  if (state === 'stale' || issue.assignee === '' || issue.assignee === assignee) return undefined
  return issue.assignee
}

/** The holder keeps lease and fence; anyone else gets new ones. */
function acquire(issue: Issue, request: ClaimRequest, expires_at: string, now: bigint): Claimed {
  const owner = trim(request.assignee)
  const held = leaseStateAt(issue.lease, now) === 'active' ? issue.lease : undefined
  const at = timestampOf(now)
  const lease: Lease = held
    ? renewedAt(held, keptExpiry(held, expires_at, request, now), now)
    : {
        lease_id: trim(request.leaseId ?? '') || defaultLeaseId(issue.id, owner),
        owner,
        acquired_at: at,
        expires_at,
      }
  const row = {
    ...stamped(issue, now),
    assignee: owner,
    status: 'in_progress',
    lease,
    closed_at: undefined,
    metadata: held ? issue.metadata : withMetadata(issue, { premathFence: fenceOf(issue) + 1 }),
  }
  if (held) return { rows: [row], issue: row, alreadyHeld: true }
  return { rows: [row], issue: row, ...(issue.lease && { previous: issue.lease }) }
}

/** A clock that was set back does not make a renewal older than the one before it. */
function renewedAt(lease: Lease, expires_at: string, now: bigint): Lease {
  return { ...lease, expires_at, renewed_at: timestampOf(laterOf(lastRenewal(lease), now)) }
}

/**
 * While the clock is behind the last renewal, a term that starts now could end before the lease does, and
 * once the clock is right, others could take the issue over. An end that the holder names counts as it is.
 */
function keptExpiry(
  lease: Lease,
  expiry: string,
  { expiresAt }: Pick<ClaimRequest, 'expiresAt'>,
  now: bigint,
): string {
  if (expiresAt !== undefined || now >= lastRenewal(lease)) return expiry
  return timestampOf(laterOf(instantOf(lease.expires_at) ?? 0n, instantOf(expiry) ?? 0n))
}

const lastRenewal = ({ acquired_at, renewed_at }: Lease) =>
  instantOf(renewed_at ?? acquired_at) ?? 0n

/** The end of the lease, or the refusal of an invalid request. */
function expiryOf(request: ClaimRequest, now: bigint): string | IssueRefusal {
  if (trim(request.assignee) === '') {
    return refuse('lease_invalid_assignee', 'assignee is required', 'Say who claims: --assignee.')
  }
  const { ttlSeconds, expiresAt } = request
  if (expiresAt !== undefined) {
    if (ttlSeconds !== undefined) {
      const diagnostic = 'a lease has a term or an end, not both'
      return refuse('lease_binding_ambiguous', diagnostic, 'Give one of the two.')
    }
    const end = instantOf(expiresAt)
    if (end === undefined || end <= now) {
      const diagnostic = `${expiresAt} is not an RFC 3339 time in the future`
      return refuse('lease_invalid_expires_at', diagnostic, 'Give a later time, with its offset.')
    }
    if (end > now + seconds(leaseTtlSecondsMax)) {
      const diagnostic = `${expiresAt} is more than ${leaseTtlSecondsMax} seconds from now`
      const remedy = 'Give an earlier time, and renew the lease: a dead holder must not keep it.'
      return refuse('lease_invalid_expires_at', diagnostic, remedy)
    }
    return timestampOf(end)
  }
  const term = ttlSeconds ?? leaseTtlSecondsDefault
  if (!isLeaseTerm(term)) {
    const range = `${leaseTermRange} seconds`
    return refuse('lease_invalid_ttl', `a lease lasts ${range}, not ${term}`, `Choose ${range}.`)
  }
  return timestampOf(now + seconds(term))
}

const claimHint = 'Claim it first: premath issue claim.'
const proofHint =
  'Give --lease-id and --fence as the claim printed them, or set PREMATH_LEASE_ID and PREMATH_FENCE.'
const stopHint = 'Stop working on it: somebody else may hold it. premath issue show tells.'

export function defaultLeaseId(issueId: string, assignee: string): string {
  return `lease1_${leaseWord(issueId)}_${leaseWord(assignee)}`
}

function leaseWord(text: string): string {
  const word = lowerAscii(text).replace(/[^a-z0-9_-]/g, '_')
  return word.replace(/^_+|_+$/g, '') || 'anon'
}
