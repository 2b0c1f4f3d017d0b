/** Opens the landing of a run: its target, its worktrees, and the place where work is verified. */

import type { Harness } from '../../harness/harness.ts'
import { CleanWorktree } from '../../harness/landing/clean-worktree.ts'
import { commitMemory, tracksMemory } from '../../harness/landing/commit-memory.ts'
import { tidyClosed } from '../../harness/landing/land-issue.ts'
import { Landing, type LandingParts, type LandStrategy } from '../../harness/landing/landing.ts'
import { type LandingPlace, openLanding } from '../../harness/landing/landing-git.ts'
import { isReverting, revertWorktree } from '../../harness/landing/revert.ts'
import {
  filesToCopy,
  openRunWorktree,
  removeRunWorktree,
} from '../../harness/landing/run-worktrees.ts'
import { headOf, openTarget, type Target, targetNotes } from '../../harness/landing/target.ts'
import {
  type StartUp,
  VerificationWorktree,
  VerificationWorktrees,
} from '../../harness/landing/verification-worktrees.ts'
import { worktreesFolder } from '../../harness/worktree/worker-worktree.ts'
import { contains, listWorktrees, type Worktree } from '../../harness/worktree/worktrees.ts'
import { type Project, projectFrom } from '../open.ts'
import { stepProofs } from '../proofs/step-proofs.ts'
import { isInUse } from './coordinated-workers.ts'

export interface RunPlan {
  /** The branch on which work lands. Defaults to the one of the main worktree. */
  readonly onto: string | undefined
  readonly workers: readonly string[]
  readonly verifiers: number
  readonly copyFiles: readonly string[]
  readonly startUp: StartUp
  readonly hooks: boolean
  readonly sign: boolean
  /** Commits issue memory at the end, if the target tracks it. */
  readonly commitMemory: boolean
  /** Goes on with the branch of the issue as it is, instead of beginning it at the target. */
  readonly resumes?: boolean
  readonly strategy: LandStrategy
  readonly landCommand: string | undefined
  /** The commit on the target that has the work already. */
  readonly as?: string | undefined
}

interface OpenRun {
  readonly landing: Landing
  readonly place: LandingPlace
  readonly target: Target
  readonly worktrees: readonly { readonly workerId: string; readonly worktree: Worktree }[]
  /** For the person who starts the run. */
  readonly notes: readonly string[]
  /**
   * Commits issue memory, and removes the worktrees. Work that did not land stays on the branch of its
   * issue.
   */
  close(): Promise<void>
}

export async function openRunLanding(
  coordinator: Harness,
  plan: RunPlan,
  project: Project,
  verify: Pick<LandingParts, 'verifiersAt' | 'verifyTimeoutMs'>,
): Promise<OpenRun> {
  const place = await openLanding(coordinator, plan)
  const target = await openTarget(place, plan.onto)
  const commit = await headOf(place, target)
  const notes = await targetNotes(place, target)
  await tidyClosed(place, await coordinator.store.read())
  const copyFiles = await filesToCopy(place, plan.copyFiles)
  const opened: CleanWorktree[] = []
  const open = async (name: string) => {
    const made = await openRunWorktree(place, { name, commit, copyFiles })
    opened.push(made.files)
    return made
  }
  const worktrees: { workerId: string; worktree: Worktree; files: CleanWorktree }[] = []
  for (const workerId of plan.workers) worktrees.push({ workerId, ...(await open(workerId)) })
  const verification: VerificationWorktree[] = []
  for (let at = 1; at <= plan.verifiers; at++) {
    const { files } = await open(`verify.${at}`)
    verification.push(new VerificationWorktree(place, files, plan.startUp))
  }
  const landing = new Landing({
    place,
    target,
    sign: plan.sign,
    resumes: plan.resumes === true,
    strategy: plan.strategy,
    landCommand: plan.landCommand,
    as: plan.as,
    worktrees: new Map(worktrees.map(({ workerId, files }) => [workerId, files])),
    verification: new VerificationWorktrees(verification),
    ...verify,
    proofsAt: folder => stepProofs(projectFrom(project, { ...project, cwd: () => folder })),
  })
  const close = async () => {
    const record = async () => {
      if (plan.commitMemory && (await tracksMemory(place, target))) {
        await commitMemory(place, target)
      }
    }
    const ends = await Promise.allSettled([record()])
    for (const files of [...opened, ...(await leftWorktrees(coordinator, place, opened))]) {
      // One that cannot be removed must not keep the others.
      ends.push(...(await Promise.allSettled([removeRunWorktree(place, files)])))
    }
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  return { landing, place, target, worktrees, notes, close }
}

/** The worktrees of a run or a revert that was killed, or of more workers or verifiers than now. */
async function leftWorktrees(
  coordinator: Harness,
  place: LandingPlace,
  opened: readonly CleanWorktree[],
): Promise<readonly CleanWorktree[]> {
  const folder = await worktreesFolder(place)
  const left: CleanWorktree[] = []
  for (const worktree of await listWorktrees(place)) {
    const { path, isPrunable } = worktree
    const isOfRun = contains(folder, path) && /\/(worker|verify|revert)\.\d+$/.test(path)
    if (!isOfRun || isPrunable || opened.some(one => one.path === path)) continue
    if (path.endsWith(`/${revertWorktree}`) && (await isReverting(place))) continue
    if (!(await isInUse(worktree, coordinator))) left.push(new CleanWorktree(place, path, []))
  }
  return left
}
