/** Finds work in a worktree that no commit holds and that its removal would lose. */
import { Fault } from '../../fault.ts'
import { shortList } from '../../kernel/harness/run/remaining-work.ts'
import { shown } from '../../world/system-error.ts'
import type { Disk } from '../../world/world.ts'
import { askGit, type GitPlace, printed } from './git.ts'
import { gitFolderAt, repositoryOf } from './repository.ts'

/**
 * Describes it, such as `2 uncommitted changes (a.txt, b/)`. Returns `undefined` if everything is
 * committed. Ignored files do not count.
 */
export async function uncommittedWork(
  place: GitPlace,
  worktreePath: string,
): Promise<string | undefined> {
  const gitFolder = await ownGitFolder(place, worktreePath)
  const unfinished = await unfinishedIn(gitFolder, place.disk)
  const changes = await changesIn(place, worktreePath)
  return [unfinished, changes].filter(one => one !== undefined).join(' and ') || undefined
}

/** In a folder without its `.git`, git would answer for the surrounding worktree. */
async function ownGitFolder(place: GitPlace, path: string): Promise<string> {
  const repository = await repositoryOf(place, path)
  const isTop = repository?.top === (await place.disk.realPath(path))
  const link = isTop ? await gitFolderAt(place.disk, `${path}/.git`) : undefined
  if (repository && link === repository.own) return link
  throw new Fault('unavailable', `${shown(path)} is not the top folder of a worktree`, {
    hint: 'Pass the top folder. If its .git file is missing or another, run git worktree repair.',
    detail: { path },
  })
}

/**
 * Files that git keeps in its folder during an operation. The order matters: a rebase also leaves
 * later ones.
 */
const marks = {
  'rebase-merge': 'an unfinished rebase',
  'rebase-apply': 'an unfinished rebase',
  MERGE_HEAD: 'an unfinished merge',
  CHERRY_PICK_HEAD: 'an unfinished cherry-pick',
  REVERT_HEAD: 'an unfinished revert',
  sequencer: 'an unfinished cherry-pick or revert',
  BISECT_LOG: 'an unfinished bisect',
} as const

async function unfinishedIn(gitFolder: string, disk: Disk): Promise<string | undefined> {
  for (const [mark, words] of Object.entries(marks)) {
    if (await disk.stamp(`${gitFolder}/${mark}`)) return words
  }
  return undefined
}

async function changesIn(place: GitPlace, path: string): Promise<string | undefined> {
  const args = [
    'status',
    '--porcelain',
    '-z',
    '--untracked-files=normal',
    '--ignore-submodules=none',
  ]
  const answer = await askGit(place, path, args)
  if (answer.exitCode === 0 && !answer.isWhole) return 'more uncommitted changes than can be listed'
  const paths = changedPaths(printed(answer, path, args))
  if (paths.length === 0) return undefined
  const noun = paths.length === 1 ? 'change' : 'changes'
  return `${paths.length} uncommitted ${noun} ${pathsInWords(paths)}`
}

const shownMax = 3

const pathsInWords = (paths: readonly string[]) => `(${shortList(paths.map(shown), shownMax)})`

/**
 * Each entry is `XY path` and ends with NUL. A renamed or copied path is followed by its old path.
 */
function changedPaths(text: string): readonly string[] {
  const paths: string[] = []
  const entries = text.split('\0').slice(0, -1).values()
  for (const entry of entries) {
    paths.push(entry.slice(3))
    if (/^.?[RC]/.test(entry)) entries.next()
  }
  return paths
}
