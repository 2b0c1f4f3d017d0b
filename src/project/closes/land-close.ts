/** Lands the work of a queued close on the target, and closes its issue with that commit. */
import { Fault } from '../../fault.ts'
import { commitMemory, tracksMemory } from '../../harness/landing/commit-memory.ts'
import { landCommit, type Unlanded, underLandingLock } from '../../harness/landing/land-issue.ts'
import { isIn } from '../../harness/landing/landing-git.ts'
import { moveTarget } from '../../harness/landing/move-target.ts'
import { listWorktrees } from '../../harness/worktree/worktrees.ts'
import { reviewClass } from '../../kernel/harness/step/step-decision.ts'
import type { Issue } from '../../kernel/issues/issue.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import type { LeaseProof } from '../../kernel/issues/lease.ts'
import { shown } from '../../world/system-error.ts'
import { type Asking, authorityOf } from '../authority/authority.ts'
import { landingPlaceOf } from '../loop/landing-status.ts'
import type { Project } from '../open.ts'
import { openIssues } from '../open-issues.ts'
import {
  type CloseInput,
  type VerifiedCandidate,
  verifiedCandidate,
} from '../proofs/agent-close.ts'

interface QueuedClose {
  readonly issue: Issue
  readonly proof: LeaseProof
  readonly input: CloseInput & Asking
}

/** Others may land meanwhile, and each time the work is verified on what they left. */
const triesMax = 5

/** `not_landing` where the settings let no work land. The target is the branch that has the work. */
export type CloseEnd =
  | { readonly state: 'closed' | 'in_review'; readonly target: string }
  | 'not_landing'

export async function landClose(
  close: QueuedClose,
  here: Project,
): Promise<CloseEnd | IssueRefusal> {
  const { issue, input } = close
  for (let tries = 0; tries < triesMax; tries++) {
    const verified = await verifiedCandidate(issue, input, here)
    if (verified === undefined) return 'not_landing'
    if (isRefusal(verified)) return verified
    const { target } = verified.plan
    if (verified.config.land === 'branch') return await review(close, target, here)
    const made = await land(verified, close, here)
    if (!('how' in made)) {
      if (isRefusal(made)) return made
      await followWork(verified, here)
      return { state: 'closed', target }
    }
    if (made.how === 'parked') return parked(made)
  }
  throw new Fault('conflict', `the target moved ${triesMax} times while ${issue.id} was verified`, {
    hint: 'The close stays queued. premath land tries it again.',
  })
}

/** A verification takes minutes, so policy and registry are read again. */
async function opened({ input }: QueuedClose, here: Project) {
  const { store, project } = await openIssues(here.reopened(), input)
  return { store, authority: await authorityOf(project, input) }
}

/** The work is on its branch. The status ends the lease: nobody holds the issue until the target has it. */
async function review(
  close: QueuedClose,
  target: string,
  here: Project,
): Promise<CloseEnd | IssueRefusal> {
  const { store, authority } = await opened(close, here)
  const { issue, proof } = close
  const fields = { status: reviewClass, assignee: '' }
  const change = { action: 'issue.update', id: issue.id, proof, fields } as const
  const made = await store.mutate(authority, change)
  return isRefusal(made) ? made : { state: 'in_review', target }
}

async function land(
  { done, plan, place, work }: VerifiedCandidate,
  close: QueuedClose,
  here: Project,
) {
  const { store, authority } = await opened(close, here)
  const { issue, proof } = close
  const { id } = issue
  return await landCommit(store, place, { id, proof, plan, done, authority, work })
}

const parked = ({ why, paths }: Extract<Unlanded, { readonly how: 'parked' }>): IssueRefusal =>
  refuse(
    'landing_parked',
    `${why} ${paths.map(shown).join(', ')}`.trimEnd(),
    paths.length === 0
      ? 'Let it end, then close the issue again.'
      : 'Commit these files or move them away, then close the issue again.',
  )

/**
 * Takes a branch on which the agent works forward to what landed, if it has no commits of its own.
 * Otherwise its next work would contain this one again, and land it again where it was reverted.
 */
async function followWork(
  { place, plan, work }: VerifiedCandidate,
  { progress }: Project,
): Promise<void> {
  const { commit, target } = plan
  const worktree = (await listWorktrees(place)).find(({ path }) => path === work.top)
  const { branch, head: base } = worktree ?? {}
  if (branch === undefined || branch === target || base === undefined || base === commit) return
  if (!(await isIn(place, base, commit))) return
  const move = { target: { branch, ref: `refs/heads/${branch}` }, base, commit, work }
  try {
    await underLandingLock(place, () => moveTarget(place, move))
  } catch (error) {
    // The issue is closed by now.
    if (!(error instanceof Fault)) throw error
    progress(`note: the branch ${branch} stays behind ${target}: ${error.message}`)
  }
}

/** Commits issue memory where work landed, as a run does. Settings are left to people. */
export async function commitClosedMemory(branch: string, project: Project): Promise<void> {
  const { config } = await project.config()
  if (!config.commitMemory) return
  const place = await landingPlaceOf(project)
  const target = { branch, ref: `refs/heads/${branch}` }
  if (await tracksMemory(place, target)) await commitMemory(place, target, new Map())
}
