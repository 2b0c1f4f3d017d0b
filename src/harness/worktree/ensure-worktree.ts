/** Finds or creates the worktree of a worker. */
import { Fault } from '../../fault.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { shown } from '../../world/system-error.ts'
import { askGit, type GitPlace, git } from './git.ts'
import { ownCommits } from './remove-worktree.ts'
import { withWorktreeLock, workerBranch, worktreesFolder } from './worker-worktree.ts'
import { addByGit, finishRemoval, undoAdd } from './worktree-creation.ts'
import { contains, isInitializing, listWorktrees, type Worktree } from './worktrees.ts'

interface EnsuredWorktree {
  readonly worktree: Worktree
  /** True if it was created now. */
  readonly made: boolean
}

/**
 * Uses `.premath/worktrees/<worker>` on the branch `premath/<worker>`. An existing branch keeps its
 * commits, and a new one starts at `base`.
 */
export async function ensureWorktree(
  place: GitPlace,
  worker: string,
  base = 'HEAD',
): Promise<EnsuredWorktree> {
  await mustNotBeLinked(place)
  const branch = await workerBranch(place, worker)
  const folder = await worktreesFolder(place)
  await makeGitignoredFolder(folder, place.disk)
  const wanted = { path: `${folder}/${worker}`, branch, base }
  return await withWorktreeLock(place.disk, folder, async () => {
    await finishRemoval(place, wanted.path)
    await undoAdd(place, wanted)
    const there = await usable(place, wanted)
    return there
      ? { worktree: there, made: false }
      : { worktree: await add(place, wanted), made: true }
  })
}

interface Wanted {
  readonly path: string
  readonly branch: string
  readonly base: string
}

/**
 * Git removes a linked worktree with everything ignored in it, so nested worktrees would be lost.
 */
async function mustNotBeLinked(place: GitPlace): Promise<void> {
  const root = await place.disk.realPath(place.root)
  const worktrees = await listWorktrees(place)
  const around = worktrees.findLast(one => contains(one.path, root))
  if (!around || around.isMain) return
  const main = worktrees.find(one => one.isMain)?.path
  throw new Fault(
    'usage',
    `cannot create worktrees in ${shown(root)}: it is a linked worktree, and they would be removed with it`,
    {
      hint: main
        ? `Run premath in the main worktree ${shown(main)}, or pass existing worktrees with --worktree.`
        : 'Pass existing worktrees with --worktree.',
      detail: { root },
    },
  )
}

/** Returns the existing worktree. If its folder is gone, git forgets it. Nothing else changes. */
async function usable(place: GitPlace, { path, branch }: Wanted): Promise<Worktree | undefined> {
  const worktrees = await listWorktrees(place)
  const listed = worktrees.find(one => one.path === path)
  if (listed && isInitializing(listed)) throw incomplete(path)
  const isThere = (await place.disk.stamp(path)) !== undefined
  if (isThere && listed && !listed.isPrunable) return mustBeOn(branch, listed)
  if (isThere) throw noWorktree(path)
  const others = worktrees.filter(one => one !== listed)
  if (listed) await prune(place, listed, others)
  const holder = others.find(one => one.branch === branch)
  if (holder) throw checkedOut(branch, holder)
  return undefined
}

const incomplete = (path: string) =>
  new Fault(
    'conflict',
    `git is still creating the worktree ${shown(path)}, or was killed while it did`,
    {
      hint: `Run the command again in a moment. If this does not help, check that no process uses the folder, then run: git worktree remove -f -f ${shown(path)}`,
      detail: { path },
    },
  )

function mustBeOn(wanted: string, worktree: Worktree): Worktree {
  const { path, branch } = worktree
  if (branch === wanted) return worktree
  const where = branch === undefined ? 'no branch' : `the branch ${branch}`
  throw new Fault('conflict', `the worktree ${shown(path)} is on ${where} instead of ${wanted}`, {
    hint: `Check the work there, then run git switch ${wanted} in it, or remove it.`,
    detail: { path, branch: branch ?? null },
  })
}

const noWorktree = (path: string) =>
  new Fault(
    'conflict',
    `cannot create the worktree ${shown(path)}: the path exists and is not a worktree`,
    {
      hint: `Nothing was changed. If the project was moved, run: git worktree repair ${shown(path)}. Otherwise move the path away.`,
      detail: { path },
    },
  )

const checkedOut = (branch: string, { path, isPrunable }: Worktree) =>
  new Fault('conflict', `the branch ${branch} is already checked out at ${shown(path)}`, {
    hint: isPrunable
      ? 'That folder is missing. If it was moved, run git worktree repair with its new path. Otherwise run git worktree prune.'
      : 'Switch to another branch there, or use another worker name.',
    detail: { branch, path },
  })

/** The folder is gone. Refuses if a commit would be lost with the entry. */
async function prune(place: GitPlace, missing: Worktree, others: readonly Worktree[]) {
  const { path, head, branch, isLocked } = missing
  if (isLocked) throw lockedFault(missing)
  const isDetached = head !== undefined && branch === undefined
  if (isDetached && (await ownCommits(place, { commit: head, branch, others })) > 0) {
    throw new Fault(
      'conflict',
      `the worktree ${shown(path)} is missing, and its commit is on no branch`,
      {
        hint: `Keep the commit with git branch <name> ${head}, then run the command again.`,
        detail: { path, commit: head },
      },
    )
  }
  await git(place, place.root, ['worktree', 'remove', path])
}

const lockedFault = ({ path, lockReason }: Worktree) =>
  new Fault(
    'conflict',
    `the worktree ${shown(path)} is missing and locked${lockReason && `: ${lockReason}`}`,
    {
      hint: `Restore the folder, or unlock it: git worktree unlock ${shown(path)}`,
      detail: { path },
    },
  )

async function add(place: GitPlace, { path, branch, base }: Wanted): Promise<Worktree> {
  const asked = ['show-ref', '--verify', '--quiet', `refs/heads/${branch}`]
  const isBranch = (await askGit(place, place.root, asked)).exitCode === 0
  const newAt = isBranch ? undefined : await commitAt(place, base)
  await addByGit(place, { path, branch, newAt })
  const made = (await listWorktrees(place)).find(one => one.path === path)
  if (made) return made
  throw new Error(`git created ${path} but does not list it`)
}

async function commitAt(place: GitPlace, base: string): Promise<string> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${base}^{commit}`]
  const { exitCode, stdout } = await askGit(place, place.root, asked)
  if (exitCode === 0) return stdout.trim()
  throw base === 'HEAD'
    ? new Fault(
        'invalid_input',
        `${shown(place.root)} has no commit, so no worktree can be created`,
        {
          hint: 'Create a commit: git add --all, then git commit.',
        },
      )
    : new Fault('usage', `${shown(base)} is not a commit`, {
        hint: 'Pass a branch, a tag or a commit. List them with git log.',
        detail: { base },
      })
}
