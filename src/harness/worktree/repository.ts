/**
 * The git folders of a worktree, from the record that the repository of the project keeps of its
 * worktrees. The work can remove or replace the `.git` of its worktree, so that file is not asked.
 */
import { isBelow } from '../../kernel/sandbox/bubblewrap.ts'
import { readTextIfPresent } from '../../world/read-text.ts'
import type { Disk } from '../../world/world.ts'

export interface Repository {
  /** The top folder of the worktree. */
  readonly top: string
  /** The git folder of the worktree. */
  readonly own: string
  /** The git folder that all worktrees share. In the main worktree it is the same. */
  readonly common: string
}

export interface RecordPlace {
  /** The project folder. Its repository is the one that is believed. */
  readonly root: string
  readonly disk: Disk
}

/** The repository around a folder of the project, or of a worktree of its repository. */
export async function repositoryOf(
  { root, disk }: RecordPlace,
  folder: string,
): Promise<Repository | undefined> {
  const main = await repositoryAround(disk, root)
  if (main === undefined) return undefined
  const real = await disk.realPath(folder)
  const linked = await linkedAround(disk, main.common, real)
  if (linked) return linked
  // A worktree of a run that has no record is not a part of the repository around it.
  if (isBelow(`${await disk.realPath(root)}/.premath/worktrees`, real)) return undefined
  if (isBelow(main.top, real)) return main
  // The main worktree, if the project is in a linked one.
  const top = main.common.endsWith('/.git') ? main.common.slice(0, -'/.git'.length) : undefined
  return top !== undefined && isBelow(top, real) ? { ...main, top, own: main.common } : undefined
}

/** The repository that git would find from a folder upwards. */
export async function repositoryAround(
  disk: Disk,
  folder: string,
): Promise<Repository | undefined> {
  let top = await disk.realPath(folder)
  for (; ; top = top.slice(0, top.lastIndexOf('/'))) {
    const own = await gitFolderAt(disk, `${top}/.git`)
    if (own !== undefined) return { top: top || '/', own, common: await commonOf(disk, own) }
    if (top === '' || top === '/') return undefined
  }
}

/** The folder that a `.git` is or names. Git passes over a folder without HEAD too. */
export async function gitFolderAt(disk: Disk, link: string): Promise<string | undefined> {
  const real = await disk.realPath(link)
  const kind = (await disk.entry(real))?.kind
  const named = kind === 'file' ? await namedFolder(disk, real) : real
  const isThere =
    kind !== undefined && named !== undefined && (await disk.entry(`${named}/HEAD`)) !== undefined
  return isThere ? named : undefined
}

async function namedFolder(disk: Disk, file: string): Promise<string | undefined> {
  const [, named] = /^gitdir: (.+?)[\r\n]*$/.exec((await readTextIfPresent(disk, file)) ?? '') ?? []
  return named === undefined ? undefined : await disk.realPath(from(parentOf(file), named))
}

async function commonOf(disk: Disk, own: string): Promise<string> {
  const named = (await readTextIfPresent(disk, `${own}/commondir`))?.trimEnd() ?? ''
  return named === '' ? own : await disk.realPath(from(own, named))
}

/** The linked worktree that contains the folder. One may lie in another. */
async function linkedAround(
  disk: Disk,
  common: string,
  folder: string,
): Promise<Repository | undefined> {
  let nearest: Repository | undefined
  for (const name of await disk.names(`${common}/worktrees`)) {
    const own = `${common}/worktrees/${name}`
    const link = (await readTextIfPresent(disk, `${own}/gitdir`))?.trimEnd() ?? ''
    if (!link.endsWith('/.git')) continue
    const top = await disk.realPath(from(own, parentOf(link)))
    if (!isBelow(top, folder) || top.length <= (nearest?.top.length ?? 0)) continue
    nearest = { top, own, common }
  }
  return nearest
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'))

const from = (folder: string, path: string) => (path.startsWith('/') ? path : `${folder}/${path}`)

type Variables = Readonly<Record<string, string>>

/** The variables with which git looks for no repository. */
export const toldRepository = ({ top, own, common }: Repository): Variables => ({
  GIT_DIR: own,
  GIT_COMMON_DIR: common,
  GIT_WORK_TREE: top,
})

/**
 * The same for a repository that was found just now. Git finds a main worktree by itself, since it
 * then refuses the repository of another user, but no configuration may name another work tree.
 */
export const foundRepository = (found: Repository): Variables =>
  found.own === found.common ? { GIT_WORK_TREE: found.top } : toldRepository(found)
