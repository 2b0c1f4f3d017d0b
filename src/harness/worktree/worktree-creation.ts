/** Creates a worktree with git, and undoes an interrupted creation. */
import { askGit, type GitAnswer, type GitPlace, git, listBytesMax, printed } from './git.ts'
import { repositoryOf } from './repository.ts'
import { changeByGit, cleanUpInterrupted, type InterruptedChange } from './worktree-change.ts'
import { isInitializing, listWorktrees, type Worktree } from './worktrees.ts'

/**
 * Creates it with the files of a commit and without a branch. The path must be free, so that
 * incomplete files found there later are from git.
 */
export async function addByGit(place: GitPlace, path: string, commit: string): Promise<void> {
  const args = ['worktree', 'add', '--quiet', '--detach', '--', path, commit]
  const answer = await changeByGit(place, { kind: 'making', path }, args, { path })
  printed(answer, place.root, args)
}

/** No worker used it yet. A worktree that git completed stays, because it may be in use. */
export async function undoAdd(place: GitPlace, path: string): Promise<void> {
  await cleanUpInterrupted(place, { kind: 'making', path }, async cutOff => {
    // Otherwise the project was moved or copied, so the record is about another path.
    if (cutOff.note['path'] === path) await removeInterrupted(place, path, cutOff)
  })
}

async function removeInterrupted(
  place: GitPlace,
  path: string,
  { wasRunning }: InterruptedChange,
): Promise<void> {
  const listed = (await listWorktrees(place)).find(one => one.path === path)
  if (!listed || isInitializing(listed)) return await removeIncomplete(place, path, listed)
  // Git had filled the worktree and a hook was still running. Git refuses if there is work in it.
  if (wasRunning) await removeByGit(place, path)
}

/** Git removes its entry before the files, so the files may be all that is left. */
async function removeIncomplete(place: GitPlace, path: string, listed: Worktree | undefined) {
  const { disk, root } = place
  const isFolder = (await disk.entry(path))?.kind === 'folder'
  const isOther = (await disk.entry(`${path}/.git`))?.kind === 'folder'
  if (isFolder && !isOther) await disk.removeFolder(path)
  if (listed) await git(place, root, ['worktree', 'remove', '-f', '-f', path])
}

/** Removes a worktree with git, and finishes an interrupted removal. */
export const removeByGit = (place: GitPlace, path: string): Promise<GitAnswer> =>
  changeByGit(place, { kind: 'removing', path }, ['worktree', 'remove', path])

/** Everything was committed when the removal started. */
export async function finishRemoval(place: GitPlace, path: string): Promise<void> {
  await cleanUpInterrupted(place, { kind: 'removing', path }, async () => {
    if (await hasOnlyDeletions(place, path)) await place.disk.removeFolder(path)
  })
}

/** True if the only changes are deleted files. New work keeps the folder. */
async function hasOnlyDeletions(place: GitPlace, path: string): Promise<boolean> {
  if ((await place.disk.entry(path))?.kind !== 'folder') return false
  if ((await place.disk.entry(`${path}/.git`)) === undefined) return true
  // Files of another repository are not those that git was removing.
  if ((await repositoryOf(place, path))?.top !== (await place.disk.realPath(path))) return false
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal']
  const { exitCode, stdout } = await askGit(place, path, args, { bytesMax: listBytesMax })
  const changes = stdout.split('\0').slice(0, -1)
  return exitCode === 0 && changes.length > 0 && changes.every(change => change.startsWith(' D '))
}
