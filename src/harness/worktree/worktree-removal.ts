/** Removes a worktree with git, and finishes an interrupted removal. */
import { askGit, type GitAnswer, type GitPlace } from './git.ts'
import { afterCutOff, changeByGit } from './worktree-change.ts'

export const removeByGit = (place: GitPlace, path: string): Promise<GitAnswer> =>
  changeByGit(place, { kind: 'removing', path }, ['worktree', 'remove', path])

/** Everything was committed when the removal started. */
export async function finishRemoval(place: GitPlace, path: string): Promise<void> {
  await afterCutOff(place, { kind: 'removing', path }, async () => {
    if (await isOnlyLess(place, path)) await place.disk.removeFolder(path)
  })
}

/** Enough for a million paths of sixty characters. */
const listBytesMax = 64 * 1024 * 1024

/** True if the only changes are deleted files. New work keeps the folder. */
async function isOnlyLess(place: GitPlace, path: string): Promise<boolean> {
  if ((await place.disk.entry(path))?.kind !== 'folder') return false
  if ((await place.disk.entry(`${path}/.git`)) === undefined) return true
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal']
  const { exitCode, stdout } = await askGit(place, path, args, { bytesMax: listBytesMax })
  const changes = stdout.split('\0').slice(0, -1)
  return exitCode === 0 && changes.length > 0 && changes.every(change => change.startsWith(' D '))
}
