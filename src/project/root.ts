/** Where the project is: the nearest folder, from here upwards, that holds a `.premath`. */
import { Fault } from '../fault.ts'
import type { OperationContext } from './context.ts'
import { isWithin, resolvePath } from './paths.ts'

type Place = Pick<OperationContext, 'cwd' | 'env' | 'files'>

/**
 * The project's root, or `undefined` where there is none. `PREMATH_ROOT` overrides. A linked git
 * worktree shares the memory of the main one: work is claimed once, wherever it is done.
 */
export async function findProjectRoot(place: Place): Promise<string | undefined> {
  const given = place.env['PREMATH_ROOT']
  if (given) return await namedRoot(resolvePath(place.cwd(), given), place)
  return await rootFrom(place, await repositoryOf(place))
}

async function rootFrom(place: Place, repository: Repository | undefined) {
  for (const folder of foldersUp(repository?.counterpart ?? place.cwd())) {
    if (await isProject(folder, place)) return folder || '/'
  }
  if (repository?.isBare) throw noMainWorktree(repository.top)
  return undefined
}

/** What lies in a `.premath` is a project's own, and begins no other: its policy would count there. */
const isProject = async (folder: string, { files }: Pick<Place, 'files'>): Promise<boolean> =>
  !isOfProject(folder) && (await files.kindOf(`${folder}/.premath`)) === 'folder'

export const isOfProject = (path: string): boolean => path.split('/').includes('.premath')

/** A root that is not there would look like a project that claims nothing and holds nothing. */
async function namedRoot(path: string, { files }: Place): Promise<string> {
  if ((await files.kindOf(path)) === 'folder') return path
  throw new Fault('usage', `PREMATH_ROOT names ${path}, which is no folder`, {
    hint: 'Name the folder that holds .premath, or unset PREMATH_ROOT.',
  })
}

/** Where a project is, or would begin: at the top of the repository, where others look for it. */
export async function projectRoot(place: Place): Promise<string> {
  if (place.env['PREMATH_ROOT']) return (await findProjectRoot(place)) ?? place.cwd()
  const repository = await repositoryOf(place)
  return (await rootFrom(place, repository)) ?? repository?.top ?? place.cwd()
}

/** `''` stands for the topmost folder, so that `${folder}/name` is a path. */
function foldersUp(folder: string): readonly string[] {
  const segments = folder.split('/').filter(Boolean)
  return [...segments.keys(), segments.length]
    .map(depth => segments.slice(0, depth).join('/'))
    .map(path => (path === '' ? '' : `/${path}`))
    .reverse()
}

/** The git repository that the working folder lies in. */
interface Repository {
  /** The main worktree, or the folder that holds a repository without one we can find. */
  readonly top: string
  /** What the working folder is there. */
  readonly counterpart: string
  readonly isBare: boolean
  /** Git's own, which all worktrees share. */
  readonly gitFolder: string
}

async function repositoryOf({ cwd, files }: Place): Promise<Repository | undefined> {
  const here = cwd().replace(/\/+$/, '')
  for (const folder of foldersUp(here)) {
    const kind = await files.kindOf(`${folder}/.git`)
    if (kind === undefined) continue
    const common = kind === 'file' ? await commonFolder(folder, files) : undefined
    if (common === undefined) {
      const own = kind === 'file' ? await ownGitFolder(folder, files) : undefined
      const gitFolder = own ?? `${folder}/.git`
      return { top: folder || '/', counterpart: here, isBare: false, gitFolder }
    }
    const main = await mainWorktreeOf(common, files)
    const top = main ?? common.slice(0, common.lastIndexOf('/'))
    const counterpart = main === undefined ? top : `${main}${here.slice(folder.length)}`
    return { top: top || '/', counterpart, isBare: main === undefined, gitFolder: common }
  }
  return undefined
}

/** Beside its `.git`, or where the configuration of a submodule says. */
async function mainWorktreeOf(common: string, files: Place['files']): Promise<string | undefined> {
  if (common.endsWith('/.git')) return common.slice(0, -'/.git'.length)
  const config = await textOf(`${common}/config`, files)
  const worktree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(config)?.[1]
  return worktree === undefined ? undefined : resolvePath(common, worktree)
}

/** The `.git` of a linked worktree is a file that names a folder inside the one all share. */
async function commonFolder(worktree: string, files: Place['files']): Promise<string | undefined> {
  const own = await ownGitFolder(worktree, files)
  if (own === undefined) return undefined
  if ((await files.kindOf(own)) !== 'folder') throw lostWorktree(worktree, own)
  return await commonOf(own, files)
}

async function ownGitFolder(worktree: string, files: Place['files']): Promise<string | undefined> {
  const named = /^gitdir: (.+)$/m.exec(await textOf(`${worktree}/.git`, files))?.[1]
  return named === undefined ? undefined : resolvePath(worktree, named.trimEnd())
}

/** A submodule has a file `.git` too, but its folder names no common one. */
async function commonOf(own: string, files: Place['files']): Promise<string | undefined> {
  const common = (await textOf(`${own}/commondir`, files)).trimEnd()
  return common === '' ? undefined : resolvePath(own, common)
}

/**
 * The top of the linked worktree that the working folder lies in, or `undefined` where it lies in
 * none. One that has lost its repository is told of where the project is looked for.
 */
export async function worktreeTop({ cwd, files }: Place): Promise<string | undefined> {
  for (const folder of foldersUp(cwd())) {
    const kind = await files.kindOf(`${folder}/.git`)
    if (kind === undefined) continue
    const own = kind === 'file' ? await ownGitFolder(folder, files) : undefined
    const isLinked = own !== undefined && (await commonOf(own, files)) !== undefined
    return isLinked ? folder || '/' : undefined
  }
  return undefined
}

/**
 * The project's folder as it is here: in a linked worktree, what stands for it there. A worktree of
 * another repository, in which `PREMATH_ROOT` names the project, has nothing that could.
 */
export async function projectFolderHere(
  place: Place & Pick<OperationContext, 'disk'>,
  root: string,
): Promise<string> {
  const here = await worktreeTop(place)
  const repository = here === undefined ? undefined : await repositoryOf(place)
  if (here === undefined || repository === undefined) return root
  const disk = await place.disk()
  const [main, real] = [await disk.realPath(repository.top), await disk.realPath(root)]
  if (!repository.isBare) return isWithin(real, main) ? `${here}${real.slice(main.length)}` : root
  if (real === main) return here
  const theirs = await repositoryOf({ ...place, cwd: () => real })
  // One without a main worktree may have its memory anywhere that is no repository.
  if (theirs === undefined) return here
  // One that was put elsewhere does not say where its main worktree is, which says whose it is.
  const folders = [repository.gitFolder, theirs.gitFolder].map(folder => disk.realPath(folder))
  const [own, their] = await Promise.all(folders)
  return own === their ? `${here}${real.slice(theirs.top.length)}` : root
}

/**
 * The project that a file belongs to: that of `root`, or one that begins between. What is allowed
 * there its own policy says, wherever somebody stands who names the file.
 */
export async function projectOfFile(
  path: string,
  root: string,
  { files, disk }: Pick<OperationContext, 'files' | 'disk'>,
): Promise<string> {
  const real = await (await disk()).realPath(root)
  for (const folder of foldersUp(path).slice(1)) {
    if ((folder || '/') === real && !isOfProject(folder)) return root
    if (await isProject(folder, { files })) return folder || '/'
  }
  return root
}

/** Alone it would begin a memory of its own, and hand out work that others have. */
const lostWorktree = (worktree: string, gitFolder: string) =>
  new Fault('unavailable', `the worktree ${worktree} has lost its repository: no ${gitFolder}`, {
    hint: 'Run git worktree repair in the main worktree, or set PREMATH_ROOT to the project.',
    detail: { worktree, gitFolder },
  })

const noMainWorktree = (top: string) =>
  new Fault('usage', 'the main worktree of this one cannot be told, or there is none', {
    hint: `Say where all its worktrees find it: premath init ${top}, or set PREMATH_ROOT.`,
    detail: { top },
  })

async function textOf(path: string, files: Place['files']): Promise<string> {
  const bytes = await files.readIfPresent(path)
  return bytes ? new TextDecoder().decode(bytes) : ''
}
