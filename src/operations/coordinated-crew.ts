/** The workers of a coordinator: a worktree each, with a name and documents of their own. */
import { ensureWorktree } from '../harness/ensure-worktree.ts'
import { withoutRepository } from '../harness/git.ts'
import { fromRoot, type Harness } from '../harness/harness.ts'
import type { LoopWorker } from '../harness/loop-member.ts'
import { makeOwnFolder } from '../harness/own-folder.ts'
import { removeWorktree } from '../harness/remove-worktree.ts'
import { contains, listWorktrees, namedWorktree, type Worktree } from '../harness/worktrees.ts'
import { byCodePoint } from '../kernel/canonical.ts'
import type { RunEvent } from '../kernel/harness/run-event.ts'
import { asWorker, openHarness } from './open-harness.ts'
import type { OpenIssues } from './open-issues.ts'
import type { OperationContext } from './operation.ts'
import { isThere, worktreeDocuments } from './worktree-documents.ts'
import type { WorktreePlan } from './worktree-plan.ts'

type Tell = (event: RunEvent) => void

interface CrewWorktree {
  readonly workerId: string
  readonly worktree: Worktree
  /** Made for a worker, now or by an earlier run. */
  readonly isOurs: boolean
}

/** In the order of their paths, which is the order workers are sent in. */
export async function openWorktrees(
  keeper: Harness,
  { named, made, workerPrefix }: WorktreePlan,
  tell: Tell,
): Promise<readonly CrewWorktree[]> {
  const ours: CrewWorktree[] = []
  const theirs: Worktree[] = []
  for (const path of named) theirs.push(await namedWorktree(keeper, path))
  for (const workerId of made) {
    const { worktree, made: isNew } = await ensureWorktree(keeper, workerId)
    tell({
      event: 'worktree',
      path: fromRoot(keeper, worktree.path),
      state: isNew ? 'made' : 'there',
    })
    ours.push({ workerId, worktree, isOurs: true })
  }
  const paths = new Set(ours.map(({ worktree }) => worktree.path))
  const others = theirs
    .filter(({ path }, at) => !paths.has(path) && theirs.findIndex(one => one.path === path) === at)
    .toSorted((a, b) => byCodePoint(a.path, b.path))
    .map((worktree, at) => ({
      workerId: `${workerPrefix}.${made.length + at + 1}`,
      worktree,
      isOurs: false,
    }))
  return [...ours, ...others].toSorted((a, b) => byCodePoint(a.worktree.path, b.worktree.path))
}

interface CrewParts {
  readonly keeper: Harness
  readonly worktrees: readonly CrewWorktree[]
  readonly shared: OpenIssues
  readonly input: {
    readonly trajectory: string | undefined
    readonly issues: string | undefined
    readonly reason: string | undefined
  }
  readonly context: OperationContext
}

export async function coordinatedCrew(parts: CrewParts): Promise<readonly LoopWorker[]> {
  const below = await belowTop(parts.keeper)
  const crew: LoopWorker[] = []
  for (const worktree of parts.worktrees) crew.push(await workerIn(worktree, below, parts))
  return crew
}

/** Where the project lies in its repository: a worktree is always one of the whole. */
async function belowTop({ root, ...place }: Harness): Promise<string> {
  const real = await place.disk.realPath(root)
  const all = await listWorktrees({ root, ...place })
  const top = all.findLast(({ path }) => contains(path, real))?.path ?? real
  return real.slice(top.length)
}

async function workerIn(
  { workerId, worktree: { path } }: CrewWorktree,
  below: string,
  { keeper, shared, input, context }: CrewParts,
): Promise<LoopWorker> {
  const documents = worktreeDocuments(path)
  await makeOwnFolder(documents.folder, keeper.disk)
  const { PREMATH_HARNESS_SESSION_PATH: _session, ...env } = context.env
  const isBelow = (await context.files.kindOf(`${path}${below}`)) === 'folder'
  const folder = isBelow ? `${path}${below}` : path
  const place = {
    ...context,
    cwd: () => folder,
    // Started by a git hook, we are told of its repository; a worker's is another one.
    env: { ...withoutRepository(env), PREMATH_ROOT: keeper.root },
  }
  const { session, ledger } = documents
  const own = { worker: workerId, session, ledger, issues: undefined, reason: input.reason }
  const trajectory = keeper.trajectory.path
  const open = await openHarness(place, { ...own, trajectory }, shared)
  return {
    harness: open.harness,
    hold: act => asWorker(open, act),
    isThere: () => isThere(path, context),
  }
}

/** Unless work would be lost. Those that somebody named are not ours to remove. */
export async function removeMade(
  keeper: Harness,
  worktrees: readonly CrewWorktree[],
  tell: Tell,
): Promise<void> {
  for (const { worktree, isOurs } of worktrees) {
    if (!isOurs) continue
    const { result, why, branchKept } = await removeWorktree(keeper, worktree)
    const path = fromRoot(keeper, worktree.path)
    const branch = branchKept === undefined ? '' : `; its branch ${branchKept} stays`
    tell({
      event: 'worktree',
      path,
      state: `${result}${why === undefined ? '' : `: ${why}`}${branch}`,
    })
  }
}
