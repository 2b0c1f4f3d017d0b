/** Removes a worker's worktree, unless work would be lost. */
import { Fault } from '../../fault.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { shown } from '../../world/system-error.ts'
import { askGit, type GitPlace, git } from './git.ts'
import { uncommittedWork } from './uncommitted-work.ts'
import { branchStart, withWorktreeLock, worktreesFolder } from './worker-worktree.ts'
import { finishRemoval, removeByGit, undoAdd } from './worktree-creation.ts'
import { listWorktrees, type Worktree } from './worktrees.ts'

export interface Removal {
  readonly result: 'removed' | 'kept'
  /** Why the worktree, or the branch of a removed worktree, is kept. */
  readonly why: string | undefined
  /** The branch that still exists. */
  readonly branchKept: string | undefined
}

export async function removeWorktree(
  place: GitPlace,
  { path }: Pick<Worktree, 'path'>,
  { keepsBranch = false } = {},
): Promise<Removal> {
  const folder = await worktreesFolder(place)
  if (path.slice(0, path.lastIndexOf('/')) !== folder) {
    const branch = (await listWorktrees(place)).find(one => one.path === path)?.branch
    return kept({ branch }, 'premath did not create it for a worker')
  }
  await makeGitignoredFolder(folder, place.disk)
  return await withWorktreeLock(place.disk, folder, async () => {
    await finishRemoval(place, path)
    await undoAdd(place, { path, branch: `${branchStart}${path.slice(folder.length + 1)}` })
    return await removed(place, path, keepsBranch)
  })
}

/** Looks, without a lock, why `removeWorktree` would keep it. */
export async function whyKept(place: GitPlace, path: string): Promise<string | undefined> {
  const found = await looked(place, path)
  if (!found.worktree) return found.isThere ? notListed : undefined
  return await removalBlocker(place, found.worktree, found.others, found.isThere)
}

const notListed = 'git does not list it as a worktree'

const kept = ({ branch }: Pick<Worktree, 'branch'>, why: string): Removal => ({
  result: 'kept',
  why,
  branchKept: branch,
})

/** The worktree as git lists it, if it does and its folder is not broken. */
async function looked(place: GitPlace, path: string) {
  const worktrees = await listWorktrees(place)
  const listed = worktrees.find(one => one.path === path)
  const isThere = (await place.disk.stamp(path)) !== undefined
  const worktree = isThere && listed?.isPrunable ? undefined : listed
  return { worktree, others: worktrees.filter(one => one !== listed), isThere }
}

/** Reads the current state, because another process may have changed it. */
async function removed(place: GitPlace, path: string, keepsBranch: boolean): Promise<Removal> {
  const { worktree, others, isThere } = await looked(place, path)
  if (!worktree) {
    return isThere
      ? kept({ branch: undefined }, notListed)
      : { result: 'removed', why: undefined, branchKept: undefined }
  }
  const why = await removalBlocker(place, worktree, others, isThere)
  if (why !== undefined) return kept(worktree, why)
  const refused = await removal(place, worktree)
  if (refused !== undefined) return kept(worktree, refused)
  if (keepsBranch) return { result: 'removed', why: undefined, branchKept: worktree.branch }
  return await withoutBranch(place, worktree, others)
}

async function removalBlocker(
  place: GitPlace,
  { path, head, branch, isLocked, lockReason }: Worktree,
  others: readonly Worktree[],
  isThere: boolean,
): Promise<string | undefined> {
  if (isLocked) return `it is locked${lockReason && `: ${lockReason}`}`
  const work = isThere ? await uncommittedWork(place, path) : undefined
  if (work !== undefined) return `it holds ${work}`
  if (branch !== undefined || head === undefined) return undefined
  const commits = await ownCommits(place, { commit: head, branch, others })
  return commits > 0 ? `its commit ${head} is on no branch` : undefined
}

/** Returns why git refuses. Git checks again, and more closely for submodules. */
async function removal(place: GitPlace, { path }: Worktree): Promise<string | undefined> {
  const { exitCode, complaint } = await removeByGit(place, path)
  if (exitCode === 0) return undefined
  if ((await listWorktrees(place)).some(one => one.path === path))
    return `git refused: ${complaint}`
  throw new Fault('unavailable', `${shown(path)} was removed only in part: ${complaint}`, {
    hint: 'Everything in it is committed and git no longer lists it. Remove the rest of the folder.',
    detail: { path },
  })
}

/** Deletes the worker's branch if every commit on it is on another branch too. */
async function withoutBranch(
  place: GitPlace,
  { branch, head }: Worktree,
  others: readonly Worktree[],
): Promise<Removal> {
  const done = { result: 'removed', why: undefined, branchKept: branch } as const
  if (branch === undefined || head === undefined || !branch.startsWith(branchStart)) return done
  const holder = others.find(one => one.branch === branch)
  if (holder) return { ...done, why: `${branch} is also checked out at ${shown(holder.path)}` }
  const commits = await ownCommits(place, { commit: head, branch, others })
  if (commits > 0) return { ...done, why: `${branch} has ${commitsInWords(commits)}` }
  // Delete it only if it still points to the commit that was checked.
  const asked = ['update-ref', '-d', `refs/heads/${branch}`, head]
  const { exitCode, complaint } = await askGit(place, place.root, asked)
  if (exitCode !== 0) return { ...done, why: `git kept ${branch}: ${complaint}` }
  return { ...done, branchKept: undefined }
}

const commitsInWords = (count: number) =>
  count === 1 ? '1 commit that no other branch has' : `${count} commits that no other branch has`

interface Loss {
  readonly commit: string
  /** The branch that would be deleted, if any. */
  readonly branch: string | undefined
  /** The worktrees that stay. */
  readonly others: readonly Worktree[]
}

/** Counts commits that no other branch, remote branch or worktree has. */
export async function ownCommits(
  place: GitPlace,
  { commit, branch, others }: Loss,
): Promise<number> {
  const heads = others.flatMap(({ head, isPrunable }) => (head && !isPrunable ? [head] : []))
  const own = branch === undefined ? [] : [`--exclude=${branch}`]
  const known = ['--not', ...heads, ...own, '--branches', '--remotes']
  return Number(await git(place, place.root, ['rev-list', '--count', commit, ...known]))
}
