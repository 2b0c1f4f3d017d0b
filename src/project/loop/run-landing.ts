/** Opens the landing of a run: its target, its worktrees, and the place where work is verified. */

import type { Harness } from '../../harness/harness.ts'
import { CleanWorktree, nothingCopied } from '../../harness/landing/clean-worktree.ts'
import {
  commitMemory,
  leftOutNote,
  settingsBefore,
  tracksMemory,
} from '../../harness/landing/commit-memory.ts'
import { tidyClosed } from '../../harness/landing/land-issue.ts'
import { Landing, type LandingParts, type LandStrategy } from '../../harness/landing/landing.ts'
import { type LandingPlace, openLanding } from '../../harness/landing/landing-git.ts'
import { isReverting, revertWorktree } from '../../harness/landing/revert.ts'
import {
  filesToCopy,
  type LentWorktree,
  lendableWorktree,
  openLentWorktree,
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
import { byCodePoint } from '../../kernel/canonical.ts'
import type { Config } from '../../wire/config/config.ts'
import { agentIn } from '../authority/authority.ts'
import { type Project, projectFrom } from '../open.ts'
import { stepProofs } from '../proofs/step-proofs.ts'
import { isInUse } from './coordinated-workers.ts'

export interface RunPlan {
  /** The branch on which work lands. Defaults to the one of the main worktree. */
  readonly onto: string | undefined
  /** One with a path works in that worktree, which the user made. The others get one. */
  readonly workers: readonly { readonly workerId: string; readonly path?: string | undefined }[]
  readonly verifiers: number
  readonly copyFiles: readonly string[]
  readonly startUp: StartUp
  readonly hooks: boolean
  readonly sign: boolean
  readonly protect: Config['protect']
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
  /** In the order of their paths. */
  readonly worktrees: readonly { readonly workerId: string; readonly worktree: Worktree }[]
  /** For the person who starts the run. */
  readonly notes: readonly string[]
  /**
   * Commits issue memory, removes the worktrees, and gives back those that the user named. Work that did not land stays on the branch of its
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
  // A person commits the settings that an agent wrote.
  const isByAgent = agentIn(project) !== undefined
  const settings = isByAgent ? new Map() : await settingsBefore(place)
  const notes = await targetNotes(place, target)
  await tidyClosed(place, await coordinator.store.read())
  const copyFiles = await filesToCopy(place, plan.copyFiles)
  const named = await namedWorktrees(place, plan.workers, target)
  const opened: CleanWorktree[] = []
  const lent: LentWorktree[] = []
  const open = async (name: string, at: LandingPlace = place) => {
    const made = await openRunWorktree(at, { name, commit, copyFiles })
    opened.push(made.files)
    return made
  }
  const worktrees: { workerId: string; worktree: Worktree; files: CleanWorktree }[] = []
  for (const { workerId, path } of plan.workers) {
    const own = path === undefined ? undefined : named.get(path)
    const lentOne = own && (await openLentWorktree(place, own, { commit, copyFiles }))
    if (lentOne) lent.push(lentOne)
    worktrees.push({ workerId, ...(lentOne ?? (await open(workerId))) })
  }
  worktrees.sort((a, b) => byCodePoint(a.worktree.path, b.worktree.path))
  const verification: VerificationWorktree[] = []
  for (let at = 1; at <= plan.verifiers; at++) {
    const neutral: LandingPlace = { ...place, isNeutral: true }
    const { files } = await open(`verify.${at}`, neutral)
    verification.push(new VerificationWorktree(neutral, files, plan.startUp))
  }
  const landing = new Landing({
    place,
    target,
    sign: plan.sign,
    protection: plan.protect,
    verifyCommand: verify.verifiersAt(coordinator).verifier.name,
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
        const changed = await commitMemory(place, target, settings)
        if (changed.length > 0 && !isByAgent) project.progress(`note: ${leftOutNote(changed)}`)
      }
    }
    const ends = await Promise.allSettled([record()])
    for (const one of lent) ends.push(...(await Promise.allSettled([one.giveBack()])))
    const kept = [...opened, ...lent.map(({ files }) => files)]
    for (const files of [...opened, ...(await leftWorktrees(coordinator, place, kept))]) {
      // One that cannot be removed must not keep the others.
      ends.push(...(await Promise.allSettled([removeRunWorktree(place, files)])))
    }
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
  return { landing, place, target, worktrees, notes, close }
}

/** Each is looked at before anything is created or checked out. */
async function namedWorktrees(
  place: LandingPlace,
  workers: RunPlan['workers'],
  target: Target,
): Promise<ReadonlyMap<string, Worktree>> {
  const named = new Map<string, Worktree>()
  if (workers.every(({ path }) => path === undefined)) return named
  const known = await listWorktrees(place)
  for (const { path } of workers) {
    if (path !== undefined) named.set(path, await lendableWorktree(place, path, { known, target }))
  }
  return named
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
    // premath numbers its worktrees.
    const isOfRun = contains(folder, path) && /\.\d+$/.test(path)
    if (!isOfRun || isPrunable || opened.some(one => one.path === path)) continue
    if (path.endsWith(`/${revertWorktree}`) && (await isReverting(place))) continue
    if (!(await isInUse(worktree, coordinator)))
      left.push(new CleanWorktree(place, path, nothingCopied))
  }
  return left
}
