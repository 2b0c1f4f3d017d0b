/**
 * The worktrees of a run: of its workers, and of the verification. premath creates and removes them,
 * or borrows those that the user names.
 */
import { Fault } from '../../fault.ts'
import { branchFolder } from '../../kernel/landing/landing-refs.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { shown } from '../../world/system-error.ts'
import { printed } from '../worktree/git.ts'
import { uncommittedWork } from '../worktree/uncommitted-work.ts'
import { withWorktreeLock, worktreesFolder } from '../worktree/worker-worktree.ts'
import { changeByGit } from '../worktree/worktree-change.ts'
import { addByGit, finishRemoval, undoAdd } from '../worktree/worktree-creation.ts'
import { listWorktrees, namedWorktree, type Worktree } from '../worktree/worktrees.ts'
import { memoryPath } from './candidate.ts'
import { CleanWorktree, nothingCopied } from './clean-worktree.ts'
import { keepLeftWork } from './issue-work.ts'
import { type LandingPlace, landingPaths } from './landing-git.ts'
import type { Target } from './target.ts'

/** `.premath/worktrees/<name>` with the files of a commit. Work that a crash left is kept. */
export async function openRunWorktree(
  place: LandingPlace,
  { name, commit, copyFiles }: RunWorktree,
): Promise<{ readonly worktree: Worktree; readonly files: CleanWorktree }> {
  const folder = await worktreesFolder(place)
  await makeGitignoredFolder(folder, place.disk)
  const path = `${folder}/${name}`
  const isFresh = await withWorktreeLock(place.disk, folder, async () => {
    await finishRemoval(place, path)
    await undoAdd(place, path)
    if (await isUsable(place, path)) return false
    await addByGit(place, path, commit)
    return true
  })
  const files = new CleanWorktree(place, path, copies(place, copyFiles))
  if (isFresh) {
    await files.takeFresh(commit)
    return { worktree: freshWorktree(path, commit), files }
  }
  await keepLeftWork(place, files)
  await files.checkOut(commit)
  const worktree = (await listWorktrees(place)).find(one => one.path === path)
  if (!worktree) throw notListed(path)
  return { worktree, files }
}

/** As git lists it, without a branch. */
const freshWorktree = (path: string, head: string): Worktree => ({
  path,
  branch: undefined,
  head,
  isMain: false,
  isPrunable: false,
  isLocked: false,
  lockReason: '',
})

/** A worktree that the user made and named. */
export interface LentWorktree {
  readonly worktree: Worktree
  readonly files: CleanWorktree
  /** Checks out what the user had checked out. */
  giveBack(): Promise<void>
}

/** Returns the worktree at this path, unless work on an issue would lose something in it. */
export async function lendableWorktree(
  place: LandingPlace,
  path: string,
  { known, target }: { readonly known: readonly Worktree[]; readonly target: Target },
): Promise<Worktree> {
  const worktree = await namedWorktree(place, path, known)
  if (worktree.isMain) {
    throw new Fault('usage', `${shown(path)} is the main worktree, and a worker needs its own`, {
      hint: 'Name a linked worktree, or let premath create some: --create-worktrees 2.',
      detail: { path },
    })
  }
  // A run that was killed left this work. It goes to the branch of its issue.
  if (worktree.branch !== target.branch) {
    await keepLeftWork(place, new CleanWorktree(place, worktree.path, nothingCopied))
  }
  const uncommitted = await uncommittedWork(place, worktree.path)
  if (uncommitted === undefined) return worktree
  throw new Fault('conflict', `${shown(path)} has ${uncommitted}`, {
    hint: 'Commit or stash it there first: each issue starts with the files of the target.',
    detail: { path },
  })
}

/** Files that git ignores stay, such as installed packages. */
export async function openLentWorktree(
  place: LandingPlace,
  worktree: Worktree,
  { commit, copyFiles }: Omit<RunWorktree, 'name'>,
): Promise<LentWorktree> {
  const files = new CleanWorktree(place, worktree.path, copies(place, copyFiles))
  await files.keepOutputs()
  await files.checkOut(commit)
  const giveBack = async () => {
    if ((await place.disk.entry(files.path))?.kind !== 'folder') return
    await keepLeftWork(place, files)
    const { branch, head = commit } = worktree
    if (branch === undefined || branch.startsWith(`${branchFolder}/`)) await files.checkOut(head)
    else await files.returnTo(branch)
  }
  return { worktree, files, giveBack }
}

/**
 * The files that are copied into each worktree: untracked ones of the main worktree that match a
 * setting or a line of `.worktreeinclude`, in the syntax of `.gitignore`.
 */
export async function filesToCopy(
  place: LandingPlace,
  patterns: readonly string[],
): Promise<readonly string[]> {
  const { disk, top } = place
  const list = `${top}/.worktreeinclude`
  const isListed = (await disk.entry(list))?.kind === 'file'
  if (patterns.length === 0 && !isListed) return []
  const asked = [
    ...patterns.map(pattern => `--exclude=${pattern}`),
    ...(isListed ? [`--exclude-from=${list}`] : []),
  ]
  const args = ['ls-files', '-z', '--others', '--ignored', ...asked]
  const found = await landingPaths(place, top, args)
  return found.filter(path => !path.startsWith(`${memoryPath(place)}/`))
}

const copies = ({ top }: LandingPlace, paths: readonly string[]) => ({ folder: top, paths })

interface RunWorktree {
  readonly name: string
  readonly commit: string
  readonly copyFiles: readonly string[]
}

async function isUsable(place: LandingPlace, path: string): Promise<boolean> {
  const isThere = (await place.disk.stamp(path)) !== undefined
  const listed = (await listWorktrees(place)).find(one => one.path === path)
  // Without its `.git` file it is listed as prunable.
  if (isThere && listed) return true
  if (isThere) throw notListed(path)
  if (listed) await changeByGit(place, { kind: 'removing', path }, remove(path))
  return false
}

const notListed = (path: string) =>
  new Fault('conflict', `${shown(path)} exists, but git does not list it as a worktree`, {
    hint: `If the project was moved, run: git worktree repair ${shellWord(path)}. Otherwise look at what is in it, then move it away.`,
    detail: { path },
  })

/** The work in it is on the branch of its issue, so only ignored files are lost. */
export async function removeRunWorktree(place: LandingPlace, files: CleanWorktree): Promise<void> {
  const { path } = files
  const isThere = (await place.disk.entry(path))?.kind === 'folder'
  const isListed = (await listWorktrees(place)).some(one => one.path === path)
  if (!isListed) {
    // The work removed the worktree itself, or git's part of it.
    if (isThere) await place.disk.removeFolder(path)
    return
  }
  if (isThere) await keepLeftWork(place, files)
  const folder = await worktreesFolder(place)
  await withWorktreeLock(place.disk, folder, async () => {
    printed(
      await changeByGit(place, { kind: 'removing', path }, remove(path)),
      place.root,
      remove(path),
    )
  })
}

/** Twice: the work may have locked it. */
const remove = (path: string) => ['worktree', 'remove', '--force', '--force', path]
