/**
 * Lands the verified commit of a step, then closes its issue. Each part checks if it is done, so the
 * whole can be repeated after a crash.
 */
import type { IssueChanged } from '../../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import {
  type LandingPlan,
  landingIssues,
  landingOf,
  type Revert,
} from '../../kernel/issues/landing/landing-state.ts'
import type { LeaseProof } from '../../kernel/issues/lease.ts'
import {
  attemptsFolder,
  candidateRef,
  issueBranch,
  revertRef,
} from '../../kernel/landing/landing-refs.ts'
import type { CloseProof } from '../../kernel/proof/close-proof.ts'
import { Landed } from '../../kernel/proof/landed.ts'
import type { Authority, IssueStore } from '../../store/issue-store.ts'
import { underLock } from '../../store/lock.ts'
import type { StepJournal, StepLanding } from '../../wire/harness/step-journal.ts'
import type { Harness } from '../harness.ts'
import { askGit } from '../worktree/git.ts'
import type { TakenWork } from './follower.ts'
import { detachFrom } from './issue-work.ts'
import { askLanding, commitOf, type LandingPlace, landingGit, openLanding } from './landing-git.ts'
import { type Moved, moveTarget } from './move-target.ts'

/** Why the commit did not land. Nothing was changed. */
export type Unlanded = Exclude<Moved, { readonly how: 'moved' }>

export interface Landable {
  readonly journal: StepJournal
  readonly landing: StepLanding
  readonly done: CloseProof
  readonly turn: string | undefined
  readonly authority: Authority
}

/** A landing takes as long as a checkout, and several may wait. */
const lockWaitMs = 30 * 60_000

export async function landIssue(
  harness: Harness,
  asked: Landable,
): Promise<IssueChanged | IssueRefusal | Unlanded> {
  const { journal, landing, done, turn, authority } = asked
  const hooks = landing.hooks === true
  const place = harness.landingPlace ?? (await openLanding(harness, { hooks }))
  const { issueId: id, workerId, leaseId, fence } = journal
  const { commit, base, tree, target } = landing
  const plan = { commit, base, tree, target }
  const proof = { assignee: workerId, leaseId, fence }
  return await landCommit(harness.store, place, { id, proof, plan, done, turn, authority })
}

/** A commit that was verified for an issue, and the lease under which it lands. */
interface VerifiedCommit {
  readonly id: string
  readonly proof: LeaseProof
  readonly plan: LandingPlan
  readonly done: CloseProof
  readonly turn?: string | undefined
  readonly authority: Authority
  /** The worktree whose files the commit came from, if somebody works on there. */
  readonly work?: TakenWork | undefined
}

export async function landCommit(
  store: IssueStore,
  place: LandingPlace,
  { id, proof, plan, done, turn, authority, work }: VerifiedCommit,
): Promise<IssueChanged | IssueRefusal | Unlanded> {
  return await underLandingLock(place, async () => {
    const change = { action: 'issue.land_begin', id, proof, done, turn, landing: plan } as const
    const begun = await store.mutate(authority, change)
    return isRefusal(begun) ? begun : await moveAndEnd(store, place, { id, plan, authority, work })
  })
}

/**
 * A process that lands holds this lock from its first row to its last. A row that says
 * `landing` while the lock is free is from a process that died.
 */
export async function underLandingLock<T>(place: LandingPlace, act: () => Promise<T>): Promise<T> {
  const folder = `${place.commonFolder}/premath`
  await place.disk.makeFolderLoosely(folder)
  return await underLock(place.disk, `${folder}/landing.lock`, lockWaitMs, act, {
    noun: 'landing',
    hint: 'Another process lands a commit. Run the command again when it has ended.',
  })
}

/** A revert that was verified. Its commit reverts the one with which the issue closed. */
export interface Revertible {
  readonly id: string
  readonly plan: LandingPlan
  readonly revert: Revert
  readonly authority: Authority
}

/** Lands a revert, then opens its issue. */
export async function landRevert(
  store: IssueStore,
  place: LandingPlace,
  { id, plan, revert, authority }: Revertible,
): Promise<IssueChanged | IssueRefusal | Unlanded> {
  return await underLandingLock(place, async () => {
    const change = { action: 'issue.revert_begin', id, landing: plan, revert } as const
    const begun = await store.mutate(authority, change)
    if (isRefusal(begun)) return begun
    // After the row, and removed before its end: whoever finds the ref finds the row.
    const ref = revertRef(id, place.sha256)
    await landingGit(place, place.top, ['update-ref', ref, plan.commit])
    return await moveAndEnd(store, place, { id, plan: { ...plan, revert }, authority })
  })
}

interface Begun {
  readonly id: string
  readonly plan: LandingPlan & { readonly revert?: Revert | undefined }
  readonly authority: Authority
  readonly work?: TakenWork | undefined
}

/** Moves the target and ends the landing, or takes the row back. Can be repeated. */
async function moveAndEnd(
  store: IssueStore,
  place: LandingPlace,
  { id, plan: { commit, base, target, revert }, authority, work }: Begun,
): Promise<IssueChanged | IssueRefusal | Unlanded> {
  const branch = { branch: target, ref: `refs/heads/${target}` }
  const moved = await moveTarget(place, { target: branch, base, commit, work })
  if (revert) {
    const remove = ['update-ref', '-d', revertRef(id, place.sha256)]
    await landingGit(place, place.top, remove)
  }
  if (moved.how !== 'moved') {
    const undone = await store.mutate(authority, { action: 'issue.land_undo', id, commit })
    return isRefusal(undone) ? undone : moved
  }
  const landed = Landed.of({ issueId: id, commit, target, isInTarget: true })
  const ended = await store.mutate(authority, { action: 'issue.land_finish', id, landed })
  // What lies on the branch of a reverted issue is newer than what was reverted.
  if (!isRefusal(ended) && !revert) await tidy(place, id)
  return ended
}

type SettlePlace = Pick<
  Harness,
  'root' | 'processes' | 'disk' | 'env' | 'sha256' | 'clock' | 'store'
>

/**
 * Finishes the landings of processes that died: the target alone decides how each ends. Before any
 * claim, so that no issue is worked on again while its commit is on the target. Returns why issues
 * whose proof is gone are not closed. Their rows are taken back, so that a person can verify them.
 */
export async function settleLandings(
  at: SettlePlace,
  authority: Authority,
): Promise<readonly IssueRefusal[]> {
  const { store } = at
  if (landingIssues(await store.read()).length === 0) return []
  // Issue memory may lie outside of the repository that it is about.
  if ((await askGit(at, at.root, ['rev-parse', '--git-dir'])).exitCode !== 0) return []
  const unproven: IssueRefusal[] = []
  const place = await openLanding(at, { hooks: false })
  await underLandingLock(place, async () => {
    for (const issue of landingIssues(await store.read())) {
      const plan = landingOf(issue)
      // Without the commit, it lands in another clone.
      if (!plan || (await commitOf(place, plan.commit)) === undefined) continue
      const { id } = issue
      const ended = await moveAndEnd(store, place, { id, plan, authority })
      if (!isRefusal(ended) || ended.failureClass !== 'close_proof_missing') continue
      const { commit } = plan
      await store.mutate(authority, { action: 'issue.land_undo', id, commit })
      unproven.push(ended)
    }
  })
  return unproven
}

/** Removes what a process left that died after it closed an issue: the candidate still has its ref. */
export async function tidyClosed(place: LandingPlace, memory: IssueMemory): Promise<void> {
  const asked = ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/premath/candidates/']
  const left = (await landingGit(place, place.top, asked)).split('\n').filter(line => line !== '')
  if (left.length === 0) return
  const commits = new Map(left.map(line => line.split(' ') as [string, string]))
  for (const issue of memory.all()) {
    const commit = commits.get(candidateRef(issue.id, place.sha256))
    const close = closeOf(issue)
    // Without a target the work did not land, and its branch is all there is of it.
    const isLanded = commit !== undefined && close?.['commit'] === commit && 'target' in close
    if (isLanded && issue.status === 'closed') await tidy(place, issue.id)
  }
}

/** Removes the refs of the issue: its branch, its candidate and its earlier attempts. */
async function tidy(place: LandingPlace, issueId: string): Promise<void> {
  const { sha256, top } = place
  const branch = issueBranch(issueId, sha256)
  const attempts = `${attemptsFolder(issueId, sha256)}/`
  const asked = ['for-each-ref', '--format=%(refname)', attempts, candidateRef(issueId, sha256)]
  const refs = (await landingGit(place, top, asked)).split('\n')
  await detachFrom(place, branch)
  const named = [`refs/heads/${branch}`, ...refs].filter(ref => ref !== '')
  const stdin = named.map(ref => `delete ${ref}\n`).join('')
  await askLanding(place, top, ['update-ref', '--stdin'], { stdin })
}
