/** The removal of a worktree by git, finished where it was cut off. */
import { askGit, type GitAnswer, type GitPlace } from './git.ts'
import { afterCutOff, changeByGit } from './worktree-change.ts'

export const removeByGit = (place: GitPlace, path: string): Promise<GitAnswer> =>
  changeByGit(place, { kind: 'removing', path }, ['worktree', 'remove', path])

/** All that was in it was committed when that began. */
export async function finishRemoval(place: GitPlace, path: string): Promise<void> {
  await afterCutOff(place, { kind: 'removing', path }, async () => {
    if (await isOnlyLess(place, path)) await place.disk.removeFolder(path)
  })
}

/** A million paths of sixty characters. */
const listBytesMax = 64 * 1024 * 1024

/** Whether all that is amiss is that something is gone. Who has worked there since keeps it. */
async function isOnlyLess(place: GitPlace, path: string): Promise<boolean> {
  if ((await place.disk.entry(path))?.kind !== 'folder') return false
  if ((await place.disk.entry(`${path}/.git`)) === undefined) return true
  const args = ['status', '--porcelain', '-z', '--untracked-files=normal']
  const { exitCode, stdout } = await askGit(place, path, args, { bytesMax: listBytesMax })
  const changes = stdout.split('\0').slice(0, -1)
  return exitCode === 0 && changes.length > 0 && changes.every(change => change.startsWith(' D '))
}
