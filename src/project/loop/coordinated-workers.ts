/** The workers of a coordinator, each with its own worktree, name, session and ledger. */

import { fromRoot, type Harness } from '../../harness/harness.ts'
import type { LandingPlace } from '../../harness/landing/landing-git.ts'
import type { LoopWorker } from '../../harness/loop/pool-worker.ts'
import { RunRequestFile } from '../../harness/loop/run-request.ts'
import { ensureWorktree } from '../../harness/worktree/ensure-worktree.ts'
import { git, withoutRepository } from '../../harness/worktree/git.ts'
import { type Removal, removeWorktree } from '../../harness/worktree/remove-worktree.ts'
import { uncommittedWork } from '../../harness/worktree/uncommitted-work.ts'
import { worktreesFolder } from '../../harness/worktree/worker-worktree.ts'
import {
  contains,
  listWorktrees,
  namedWorktree,
  type Worktree,
} from '../../harness/worktree/worktrees.ts'
import { byCodePoint } from '../../kernel/canonical.ts'
import type { RunEvent } from '../../kernel/harness/run/run-event.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { SharedIssueStore } from '../../store/shared-issue-store.ts'
import type { Asking } from '../authority/authority.ts'
import { exists, worktreeDocuments } from '../harness-files.ts'
import { type Project, projectFrom } from '../open.ts'
import { asWorker, openHarness } from '../open-harness.ts'
import { type OpenIssues, openIssues } from '../open-issues.ts'
import type { WorktreePlan } from './worktree-plan.ts'

type Emit = (event: RunEvent) => void

interface WorkerWorktree {
  readonly workerId: string
  readonly worktree: Worktree
}

/** Sorted by path, which is the order of dispatch. */
export async function openWorktrees(
  coordinator: Harness,
  { named, made, workerPrefix }: WorktreePlan,
  known: readonly Worktree[],
  emit: Emit,
): Promise<readonly WorkerWorktree[]> {
  const ours: WorkerWorktree[] = []
  const theirs: Worktree[] = []
  for (const path of named) theirs.push(await namedWorktree(coordinator, path, known))
  for (const workerId of made) {
    // Each one takes as long as a checkout.
    if (coordinator.stop.aborted) break
    const { worktree, made: isNew } = await ensureWorktree(coordinator, workerId)
    const behind = await behindHead(coordinator, worktree)
    const state = `${isNew ? 'made' : 'there'}${behind === undefined ? '' : `, ${behind}`}`
    emit({ event: 'worktree', path: fromRoot(coordinator, worktree.path), state })
    ours.push({ workerId, worktree })
  }
  const paths = new Set(ours.map(({ worktree }) => worktree.path))
  const others = theirs
    .filter(({ path }, at) => !paths.has(path) && theirs.findIndex(one => one.path === path) === at)
    .toSorted((a, b) => byCodePoint(a.path, b.path))
    .map((worktree, at) => ({
      workerId: `${workerPrefix}.${made.length + at + 1}`,
      worktree,
    }))
  return [...ours, ...others].toSorted((a, b) => byCodePoint(a.worktree.path, b.worktree.path))
}

interface CoordinatedParts {
  readonly coordinator: Harness
  readonly worktrees: readonly WorkerWorktree[]
  /** The worktrees that existed before the run. */
  readonly known: readonly Worktree[]
  readonly shared: OpenIssues
  readonly input: Asking
  readonly project: Project
  /** Set if the work of the workers lands. */
  readonly place?: LandingPlace
}

/**
 * Uncommitted work may be left over or belong to a person. The worker in that worktree continues
 * with it.
 */
export async function warnUncommitted(
  coordinator: Harness,
  worktrees: readonly WorkerWorktree[],
  emit: Emit,
): Promise<void> {
  const paths = worktrees.map(({ worktree }) => worktree.path)
  const works = await Promise.all(paths.map(path => uncommittedWork(coordinator, path)))
  for (const [at, path] of paths.entries()) {
    const work = works[at]
    if (work === undefined) continue
    const state = `has ${work}, and its worker continues with it`
    emit({ event: 'worktree', path: fromRoot(coordinator, path), state })
  }
}

export async function coordinatedWorkers(parts: CoordinatedParts): Promise<readonly LoopWorker[]> {
  const below = await belowTop(parts)
  const workers: LoopWorker[] = []
  for (const worktree of parts.worktrees) workers.push(await workerIn(worktree, below, parts))
  return workers
}

/**
 * The path of the project within its repository, because a worktree always contains the whole
 * repository.
 */
async function belowTop({ coordinator, known }: CoordinatedParts): Promise<string> {
  const real = await coordinator.disk.realPath(coordinator.root)
  const top = known.findLast(({ path }) => contains(path, real))?.path ?? real
  return real.slice(top.length)
}

async function workerIn(
  { workerId, worktree: { path } }: WorkerWorktree,
  below: string,
  { coordinator, shared, input, project, place: landingPlace }: CoordinatedParts,
): Promise<LoopWorker> {
  const documents = worktreeDocuments(path)
  await makeGitignoredFolder(documents.folder, coordinator.disk)
  const { PREMATH_HARNESS_SESSION_PATH: _session, ...env } = project.env
  const isBelow = (await project.files.kindOf(`${path}${below}`)) === 'folder'
  const folder = isBelow ? `${path}${below}` : path
  const place = projectFrom(project, {
    cwd: () => folder,
    // Under a git hook, the environment names the hook's repository and not the worker's.
    env: { ...withoutRepository(env), PREMATH_ROOT: coordinator.root },
  })
  const { session, ledger } = documents
  const { instruction, joinWitness, reason } = input
  const own = { worker: workerId, session, ledger, instruction, joinWitness, reason }
  const trajectory = coordinator.trajectory.path
  const open = await openHarness(place, { ...own, trajectory, issues: undefined }, shared)
  return {
    harness: { ...open.harness, ...(landingPlace && { landingPlace }) },
    hold: act => asWorker(open, act),
    isThere: () => exists(path, project),
    uncommitted: () => uncommittedWork(coordinator, path),
  }
}

/**
 * Removes the worktrees that premath created, also those of a run that crashed. Keeps one if work
 * would be lost or it is in use. Never removes worktrees that the user named.
 */
export async function removeCreated(
  coordinator: Harness,
  { named }: WorktreePlan,
  emit: Emit,
): Promise<void> {
  const folder = await worktreesFolder(coordinator)
  for (const worktree of await listWorktrees(coordinator)) {
    const isOurs = isCreatedHere(worktree.path, folder) && !named.includes(worktree.path)
    if (!isOurs || (await isInUse(worktree, coordinator))) continue
    const removal = await removeWorktree(coordinator, worktree)
    const path = fromRoot(coordinator, worktree.path)
    emit({ event: 'worktree', path, state: removalWords(removal) })
  }
}

/** premath creates numbered worktrees only. */
const isCreatedHere = (path: string, folder: string) =>
  contains(folder, path) && /\.\d+$/.test(path)

/** True if a separately started worker holds its lock there. */
export async function isInUse({ path }: Worktree, { disk }: Harness): Promise<boolean> {
  const lockPath = `${worktreeDocuments(path).session}.step.lock`
  if (!(await disk.stamp(lockPath))) return false
  const lock = await disk.lock(lockPath, 0)
  if (lock.held) await lock.release()
  return !lock.held
}

function removalWords({ result, why, branchKept }: Removal): string {
  const reason = why === undefined ? '' : `: ${why}`
  if (result === 'kept') return `kept${reason}`
  return branchKept === undefined
    ? 'removed'
    : `removed, but its branch ${branchKept} is kept${reason}`
}

/** The branch of an earlier run is not rebased, so its worker may lack newer commits. */
async function behindHead(
  coordinator: Harness,
  { head, branch }: Worktree,
): Promise<string | undefined> {
  if (head === undefined) return undefined
  const range = ['rev-list', '--left-right', '--count', `HEAD...${head}`]
  const [behind = 0, ahead = 0] = (await git(coordinator, coordinator.root, range))
    .trim()
    .split(/\s+/)
    .map(Number)
  if (behind === 0 && ahead === 0) return undefined
  return `on ${branch ?? 'no branch'}, ${ahead} ahead of HEAD and ${behind} behind`
}

interface CoordinatorInput extends Asking {
  readonly issues: string | undefined
  readonly session: string | undefined
  readonly ledger: string | undefined
  readonly trajectory: string | undefined
}

/** The worker name of the coordinator. Its lock is held while a run goes on. */
export const coordinatorName = 'coordinator'

/** Runs `act` as the one coordinator of the project. All workers share its store. */
export async function asCoordinator(
  input: CoordinatorInput,
  project: Project,
  act: (coordinator: Harness, shared: OpenIssues) => Promise<void>,
): Promise<void> {
  const issues = await openIssues(project, input)
  const shared = { ...issues, store: new SharedIssueStore(issues.store) }
  const open = await openHarness(project, { ...input, worker: coordinatorName }, shared)
  const coordinator = { ...open.harness, emit: () => {} }
  const request = new RunRequestFile(coordinator)
  const withoutRequests = async () => {
    // Of a run that was killed.
    await request.clear()
    try {
      await act(coordinator, shared)
    } finally {
      await request.clear()
    }
  }
  await asWorker(open, withoutRequests, {
    noun: 'coordinator',
    hint: 'A project has one coordinator at a time. Wait until it ends. premath run --drain ends it after its running steps.',
  })
}
