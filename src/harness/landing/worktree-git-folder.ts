/**
 * The git folder of a linked worktree. The work can remove or replace the `.git` in its worktree, so
 * git is told the folder and never asks that file.
 */
import { Fault } from '../../fault.ts'
import { isBelow } from '../../kernel/sandbox/bubblewrap.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import { shown } from '../../world/system-error.ts'
import { askLanding, type LandingPlace } from './landing-git.ts'

/** Makes the link `.git` again if it does not lead to the repository. */
export async function gitFolderOf(place: LandingPlace, path: string): Promise<string> {
  const linked = await linkedFolder(place, path)
  if (linked !== undefined) return linked
  const { disk, top } = place
  const link = `${path}/.git`
  if ((await disk.entry(link))?.kind === 'folder') await disk.removeFolder(link)
  else await disk.remove(link)
  await askLanding(place, top, ['worktree', 'repair'])
  const repaired = await linkedFolder(place, path)
  if (repaired !== undefined) return repaired
  throw new Fault('unavailable', `${shown(path)} is no worktree any more`, {
    hint: 'The work may have removed it. Look at what is left in it, then move it away.',
    detail: { path },
  })
}

/**
 * The folder that `.git` names, if it is one of this repository and names this worktree. The work
 * could make a repository of its own that names it too.
 */
async function linkedFolder(place: LandingPlace, path: string): Promise<string | undefined> {
  const { disk, commonFolder } = place
  const link = `${path}/.git`
  if ((await disk.entry(link))?.kind !== 'file') return undefined
  const text = await readTextIfPresent(disk, link)
  const folder = text?.startsWith('gitdir: /') ? text.slice('gitdir: '.length).trimEnd() : ''
  const parent = folder.slice(0, folder.lastIndexOf('/'))
  if (parent !== `${commonFolder}/worktrees` || (await disk.realPath(folder)) !== folder) {
    return undefined
  }
  if ((await disk.entry(`${folder}/gitdir`))?.kind !== 'file') return undefined
  const back = await readTextIfPresent(disk, `${folder}/gitdir`)
  return back?.trimEnd() === link ? folder : undefined
}

/** The variables with which git looks for no repository around `cwd`. */
export async function repositoryAt(
  place: LandingPlace,
  cwd: string,
): Promise<Readonly<Record<string, string>>> {
  const own = await ownFolder(place, cwd)
  if (own === undefined) return {}
  return { GIT_DIR: own, GIT_COMMON_DIR: place.commonFolder, GIT_WORK_TREE: cwd }
}

async function ownFolder(place: LandingPlace, cwd: string): Promise<string | undefined> {
  const { disk, top, prefix, gitFolder, commonFolder } = place
  if (cwd === top) return gitFolder
  if (isBelow(`${top === '/' ? '' : top}/${prefix}.premath/worktrees`, cwd)) {
    return await gitFolderOf(place, cwd)
  }
  // The main worktree, if the project is in a linked one.
  if ((await disk.realPath(`${cwd}/.git`)) === commonFolder) return commonFolder
  return await linkedFolder(place, cwd)
}
