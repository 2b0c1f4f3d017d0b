/** Removes a worktree in `.premath/worktrees`, unless work would be lost. Its branch stays. */
import { Fault } from '../../fault.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { shown } from '../../world/system-error.ts'
import { type GitPlace, git } from './git.ts'
import { uncommittedWork } from './uncommitted-work.ts'
import { withWorktreeLock, worktreesFolder } from './worker-worktree.ts'
import { finishRemoval, removeByGit, undoAdd } from './worktree-creation.ts'
import { listWorktrees, type Worktree } from './worktrees.ts'

/** Returns why it stays, if it does. The path is one in `worktreesFolder`. */
export async function removeWorktree(place: GitPlace, path: string): Promise<string | undefined> {
  const folder = await worktreesFolder(place)
  await makeGitignoredFolder(folder, place.disk)
  return await withWorktreeLock(place.disk, folder, async () => {
    await finishRemoval(place, path)
    await undoAdd(place, path)
    // Another process may have changed it since it was looked at.
    const { why, isListed } = await looked(place, path)
    return why ?? (isListed ? await refusalByGit(place, path) : undefined)
  })
}

/** Looks, without a lock, why `removeWorktree` would keep it. */
export const whyKept = async (place: GitPlace, path: string): Promise<string | undefined> =>
  (await looked(place, path)).why

async function looked(place: GitPlace, path: string) {
  const worktrees = await listWorktrees(place)
  const listed = worktrees.find(one => one.path === path)
  const isThere = (await place.disk.stamp(path)) !== undefined
  if (isThere && (!listed || listed.isPrunable)) {
    return { why: 'git does not list it as a worktree', isListed: false }
  }
  const others = worktrees.filter(one => one !== listed)
  const why = listed && (await removalBlocker(place, listed, others, isThere))
  return { why, isListed: listed !== undefined }
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
  return (await isElsewhere(place, head, others)) ? undefined : `its commit ${head} is on no branch`
}

/** Returns why git refuses. Git checks again, and more closely for submodules. */
async function refusalByGit(place: GitPlace, path: string): Promise<string | undefined> {
  const { exitCode, complaint } = await removeByGit(place, path)
  if (exitCode === 0) return undefined
  if ((await listWorktrees(place)).some(one => one.path === path))
    return `git refused: ${complaint}`
  throw new Fault('unavailable', `${shown(path)} was removed only in part: ${complaint}`, {
    hint: 'Everything in it is committed and git no longer lists it. Remove the rest of the folder.',
    detail: { path },
  })
}

/** True if a branch, a remote branch or another worktree has the commit. */
async function isElsewhere(
  place: GitPlace,
  commit: string,
  others: readonly Worktree[],
): Promise<boolean> {
  const heads = others.flatMap(({ head, isPrunable }) => (head && !isPrunable ? [head] : []))
  const known = ['--not', ...heads, '--branches', '--remotes']
  const own = await git(place, place.root, ['rev-list', '--count', commit, ...known])
  return Number(own) === 0
}
