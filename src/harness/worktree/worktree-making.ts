/** The making of a worktree by git, undone where it was cut off. */
import { askGit, type GitPlace, git, printed } from './git.ts'
import { afterCutOff, type CutOff, changeByGit } from './worktree-change.ts'
import { removeByGit } from './worktree-removal.ts'
import { isHalfMade, listWorktrees, type Worktree } from './worktrees.ts'

interface Making {
  readonly path: string
  readonly branch: string
  /** Where its branch begins; `undefined` when that was there before. */
  readonly newAt: string | undefined
}

/** Where nothing is: what is found there later, and was not finished, is git's. */
export async function makeByGit(place: GitPlace, { path, branch, newAt }: Making): Promise<void> {
  const how = newAt ? ['--no-track', '-b', branch, '--', path, newAt] : ['--', path, branch]
  const args = ['worktree', 'add', '--quiet', ...how]
  const note = { path, newAt: newAt ?? null }
  const answer = await changeByGit(place, { kind: 'making', path }, args, note)
  printed(answer, place.root, args)
}

/** Nobody was sent there yet. One that git had finished stays: somebody may be at work in it. */
export async function undoMaking(
  place: GitPlace,
  { path, branch }: Pick<Making, 'path' | 'branch'>,
): Promise<void> {
  await afterCutOff(place, { kind: 'making', path }, async cutOff => {
    const { note } = cutOff
    // In a project that was moved or copied, it lies elsewhere.
    if (note['path'] !== path) return
    await clearAway(place, path, cutOff)
    if (typeof note['newAt'] === 'string') await withoutBranch(place, branch, note['newAt'])
  })
}

async function clearAway(place: GitPlace, path: string, { wasRunning }: CutOff): Promise<void> {
  const listed = (await listWorktrees(place)).find(one => one.path === path)
  if (!listed || isHalfMade(listed)) return await clearHalf(place, path, listed)
  // It was filled, and a hook ran that has now been ended. Git refuses where there is work.
  if (wasRunning) await removeByGit(place, path)
}

/** Git itself forgets it first and then deletes the files, so they may be all that is left. */
async function clearHalf(place: GitPlace, path: string, listed: Worktree | undefined) {
  const { disk, root } = place
  const isFolder = (await disk.entry(path))?.kind === 'folder'
  const isOther = (await disk.entry(`${path}/.git`))?.kind === 'folder'
  if (isFolder && !isOther) await disk.removeFolder(path)
  if (listed) await git(place, root, ['worktree', 'remove', '-f', '-f', path])
}

/** A branch that was made for it, and only while that is still where it began. */
async function withoutBranch(place: GitPlace, branch: string, newAt: string): Promise<void> {
  if ((await listWorktrees(place)).some(one => one.branch === branch)) return
  await askGit(place, place.root, ['update-ref', '-d', `refs/heads/${branch}`, newAt])
}
