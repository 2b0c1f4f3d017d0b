/** The workers of a coordinator, each with its own worktree, name, session and ledger. */

import type { Harness } from '../../harness/harness.ts'
import type { LandingPlace } from '../../harness/landing/landing-git.ts'
import type { LoopWorker } from '../../harness/loop/pool-worker.ts'
import { RunRequestFile } from '../../harness/loop/run-request.ts'
import { withoutRepository } from '../../harness/worktree/git.ts'
import { contains, type Worktree } from '../../harness/worktree/worktrees.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { SharedIssueStore } from '../../store/shared-issue-store.ts'
import type { Asking } from '../authority/authority.ts'
import { exists, worktreeDocuments } from '../harness-files.ts'
import { type Project, projectFrom } from '../open.ts'
import { asWorker, openHarness } from '../open-harness.ts'
import { type OpenIssues, openIssues } from '../open-issues.ts'
import { type SandboxInput, withSandbox } from './open-sandbox.ts'

interface WorkerWorktree {
  readonly workerId: string
  readonly worktree: Worktree
}

interface CoordinatedParts {
  readonly coordinator: Harness
  readonly worktrees: readonly WorkerWorktree[]
  /** The worktrees that existed before the run. */
  readonly known: readonly Worktree[]
  readonly shared: OpenIssues
  readonly input: Asking
  readonly project: Project
  readonly place: LandingPlace
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
  const { instruction, joinWitness, reason, run } = input
  const own = {
    worker: undefined,
    ownName: workerId,
    session,
    ledger,
    instruction,
    joinWitness,
    reason,
    run,
  }
  const trajectory = coordinator.trajectory.path
  const open = await openHarness(place, { ...own, trajectory, issues: undefined }, shared)
  const { sandbox } = coordinator
  return {
    harness: { ...open.harness, landingPlace, ...(sandbox && { sandbox }) },
    hold: act => asWorker(open, act),
    isThere: () => exists(path, project),
  }
}

/** True if a separately started worker holds its lock there. */
export async function isInUse({ path }: Worktree, { disk }: Harness): Promise<boolean> {
  const lockPath = `${worktreeDocuments(path).session}.step.lock`
  if (!(await disk.stamp(lockPath))) return false
  const lock = await disk.lock(lockPath, 0)
  if (lock.held) await lock.release()
  return !lock.held
}

interface CoordinatorInput extends Asking, SandboxInput {
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
  const open = await openHarness(
    project,
    { ...input, worker: undefined, ownName: coordinatorName },
    shared,
  )
  const opened = { ...open.harness, emit: () => {} }
  const request = new RunRequestFile(opened)
  const withoutRequests = async () => {
    // Of a run that was killed.
    await request.clear()
    try {
      await withSandbox(opened, input, project, coordinator => act(coordinator, shared))
    } finally {
      await request.clear()
    }
  }
  await asWorker(open, withoutRequests, {
    busy: holder => `another run of this project is running: ${holder}`,
    hint: 'A project has one run at a time. Wait until it ends. premath run --drain ends it after its running steps.',
  })
}
