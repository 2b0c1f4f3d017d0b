/** Finds the project: the nearest folder, from the working folder upwards, that holds `.premath`. */
import { Fault } from '../fault.ts'
import { repositoryOf } from '../harness/worktree/repository.ts'
import { checkoutVariable } from '../kernel/landing/checkout-variable.ts'
import { shellWord } from '../kernel/text/shell-word.ts'
import type { OperationContext } from './context.ts'
import { isInDotPremath, isWithin, mustBeOneLine, resolvePath } from './paths.ts'

type Here = Pick<OperationContext, 'cwd' | 'env' | 'files' | 'disk'>
type Files = OperationContext['files']

/** A project as the working folder sees it. */
export interface ProjectPlace {
  /** The folder that holds `.premath`; without a project, the folder where `init` makes one. */
  readonly root: string
  /** There is a project, or `PREMATH_ROOT` names its root. */
  readonly isFound: boolean
  /** The top of the linked git worktree around the working folder; `undefined` elsewhere. */
  worktree(): Promise<string | undefined>
  /** In a linked worktree of the project's repository, the project's folder there; else the root. */
  folderHere(): Promise<string>
  /** The root lies in a git repository. Asks no git, which may not be installed. */
  isInRepository(): Promise<boolean>
}

/**
 * The project around the working folder. `PREMATH_ROOT` overrides the search. A linked git worktree
 * uses the project of the main worktree, so that two workers never claim one issue.
 */
export async function findProject(here: Here): Promise<ProjectPlace> {
  const given = here.env['PREMATH_ROOT']
  mustBeOneLine(here.cwd())
  if (given) return projectPlace(await namedRoot(resolvePath(here.cwd(), given), here), here)
  const checkout = await checkoutOf(here.cwd(), here.files)
  mustHaveRepository(checkout)
  const found = await nearestProject(checkout?.counterpart ?? here.cwd(), here.files)
  if (found === undefined && checkout?.isBare) {
    throw noMainWorktree(checkout, await isProject(checkout.folder, here.files))
  }
  const root = found ?? checkout?.top ?? here.cwd()
  mustBeOneLine(root)
  return projectPlace(root, here, { isFound: found !== undefined, checkout: async () => checkout })
}

/** A project whose root is known. */
export function projectPlace(
  root: string,
  here: Here,
  { isFound = true, checkout = once(() => checkoutOf(here.cwd(), here.files)) } = {},
): ProjectPlace {
  return {
    root,
    isFound,
    async worktree() {
      const found = await checkout()
      return found?.isLinked ? found.folder || '/' : undefined
    },
    folderHere: once(
      async () =>
        (await copyHere(root, here)) ??
        (await recordedHere(root, here)) ??
        (await counterpartOf(root, await checkout(), here)),
    ),
    isInRepository: async () => (await checkoutOf(root, here.files)) !== undefined,
  }
}

/** Runs `read` at the first call; every later call gets the same promise. */
export function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read()
    return reading
  }
}

/** A missing folder would look like a project without issues and without claims. */
async function namedRoot(path: string, { files }: Here): Promise<string> {
  mustBeOneLine(path)
  if ((await files.kindOf(path)) === 'folder') return path
  throw new Fault('usage', `PREMATH_ROOT names ${path}, which is not a folder`, {
    hint: 'Name the folder that holds .premath, or unset PREMATH_ROOT.',
  })
}

async function nearestProject(from: string, files: Files): Promise<string | undefined> {
  for (const folder of foldersUp(from)) {
    if (await isProject(folder, files)) return folder || '/'
  }
  return undefined
}

const isProject = async (folder: string, files: Files): Promise<boolean> =>
  !isInDotPremath(folder) && (await files.kindOf(`${folder}/.premath`)) === 'folder'

/** `''` stands for the topmost folder, so that `${folder}/name` is a path. */
function foldersUp(folder: string): readonly string[] {
  const segments = folder.split('/').filter(Boolean)
  return [...segments.keys(), segments.length]
    .map(depth => segments.slice(0, depth).join('/'))
    .map(path => (path === '' ? '' : `/${path}`))
    .reverse()
}

/** The git checkout that a folder lies in. */
interface Checkout {
  /** The folder that holds `.git`; `''` for the topmost folder. */
  readonly folder: string
  /** A linked worktree, and not the main one. */
  readonly isLinked: boolean
  /** The folder that `.git` names, where it is gone. */
  readonly lostGitFolder?: string
  /** The main worktree, or the folder around a repository whose main worktree is not known. */
  readonly top: string
  /** The folder that stands for the asked one in the main worktree. */
  readonly counterpart: string
  /** The main worktree is not known, or there is none. */
  readonly isBare: boolean
  /** Git's folder, which all worktrees share. */
  readonly gitFolder: string
}

async function checkoutOf(from: string, files: Files): Promise<Checkout | undefined> {
  const here = from.replace(/\/+$/, '')
  for (const folder of foldersUp(here)) {
    const kind = await files.kindOf(`${folder}/.git`)
    if (kind === 'folder') return mainCheckout(folder, here, `${folder}/.git`)
    if (kind === 'file') return await checkoutWithFile(folder, here, files)
  }
  return undefined
}

/** In a linked worktree and in a submodule `.git` is a file that names a folder. */
async function checkoutWithFile(folder: string, here: string, files: Files): Promise<Checkout> {
  const named = /^gitdir: (.+)$/s.exec(await textOf(`${folder}/.git`, files))?.[1]
  if (named === undefined) return mainCheckout(folder, here, `${folder}/.git`)
  const own = resolvePath(folder, named.trimEnd())
  const checkout = mainCheckout(folder, here, own)
  if ((await files.kindOf(own)) !== 'folder') return { ...checkout, lostGitFolder: own }
  // The folder of a submodule names no common one.
  const commonName = (await textOf(`${own}/commondir`, files)).trimEnd()
  if (commonName === '') return checkout
  const common = resolvePath(own, commonName)
  const main = await mainWorktreeOf(common, files)
  const top = main ?? common.slice(0, common.lastIndexOf('/'))
  const counterpart = main === undefined ? top : `${main}${here.slice(folder.length)}`
  return {
    folder,
    isLinked: true,
    top: top || '/',
    counterpart,
    isBare: main === undefined,
    gitFolder: common,
  }
}

const mainCheckout = (folder: string, here: string, gitFolder: string): Checkout => ({
  folder,
  isLinked: false,
  top: folder || '/',
  counterpart: here,
  isBare: false,
  gitFolder,
})

/** Beside its `.git`, or where the configuration of a submodule says. */
async function mainWorktreeOf(common: string, files: Files): Promise<string | undefined> {
  if (common.endsWith('/.git')) return common.slice(0, -'/.git'.length)
  const config = await textOf(`${common}/config`, files)
  const worktree = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(config)?.[1]
  return worktree === undefined ? undefined : resolvePath(common, worktree)
}

/** The copy of the project around the working folder, in which a step verifies work without git. */
async function copyHere(root: string, { cwd, env, disk }: Here): Promise<string | undefined> {
  const copy = env[checkoutVariable]
  if (!copy) return undefined
  const real = await (await disk()).realPath(root)
  return isWithin(copy, `${real}/.premath/checkouts`) && isWithin(cwd(), copy) ? copy : undefined
}

/**
 * The project's folder in a worktree of a run, by the record of the repository: the work may have
 * replaced the `.git` of the worktree.
 */
async function recordedHere(root: string, { cwd, disk: open }: Here): Promise<string | undefined> {
  if (!isWithin(cwd(), `${root === '/' ? '' : root}/.premath/worktrees`)) return undefined
  const disk = await open()
  const [main, here] = [
    await repositoryOf({ root, disk }, root),
    await repositoryOf({ root, disk }, cwd()),
  ]
  if (main === undefined || here === undefined) return undefined
  return `${here.top}${(await disk.realPath(root)).slice(main.top.length)}`
}

/** A worktree of another repository, where `PREMATH_ROOT` names the project, has no counterpart. */
async function counterpartOf(
  root: string,
  checkout: Checkout | undefined,
  { disk: openDisk, files }: Here,
): Promise<string> {
  if (!checkout?.isLinked) return root
  const here = checkout.folder || '/'
  const disk = await openDisk()
  const [main, real] = [await disk.realPath(checkout.top), await disk.realPath(root)]
  if (!checkout.isBare) return isWithin(real, main) ? `${here}${real.slice(main.length)}` : root
  if (real === main) return here
  const theirs = await checkoutOf(real, files)
  mustHaveRepository(theirs)
  // The project of a bare repository may lie in any folder that is in no repository.
  if (theirs === undefined) return here
  // A repository that `git clone --separate-git-dir` made does not name its main worktree.
  const folders = [checkout.gitFolder, theirs.gitFolder].map(folder => disk.realPath(folder))
  const [own, their] = await Promise.all(folders)
  return own === their ? `${here}${real.slice(theirs.top.length)}` : root
}

/**
 * The root of the project that a file belongs to: `root`, or that of a project between the two. The
 * policy of that project decides about the file, wherever the command runs.
 */
export async function rootOfFile(
  path: string,
  root: string,
  { files, disk }: Pick<Here, 'files' | 'disk'>,
): Promise<string> {
  const real = await (await disk()).realPath(root)
  for (const folder of foldersUp(path).slice(1)) {
    if ((folder || '/') === real && !isInDotPremath(folder)) return root
    if (await isProject(folder, files)) return folder || '/'
  }
  return root
}

/** Alone, a worktree would begin a memory of its own and hand out work that others hold. */
function mustHaveRepository(checkout: Checkout | undefined): void {
  if (checkout?.lostGitFolder === undefined) return
  const { folder: worktree, lostGitFolder: gitFolder } = checkout
  throw new Fault(
    'unavailable',
    `the worktree ${worktree} has lost its repository: no ${gitFolder}`,
    {
      hint: 'Run git worktree repair in the main worktree, or set PREMATH_ROOT to the project.',
      detail: { worktree, gitFolder },
    },
  )
}

/** A new project beside the issue memory that git has would hide it. */
const noMainWorktree = ({ top, folder }: Checkout, hasMemory: boolean) =>
  new Fault('usage', 'this worktree has no main worktree, or git does not name it', {
    hint: hasMemory
      ? `Its issue memory can serve all worktrees: cp -R ${shellWord(`${folder}/.premath`)} ${shellWord(top)}. Or set PREMATH_ROOT=${shellWord(folder)} for this one.`
      : `Make a project for all its worktrees: premath init ${shellWord(top)}, or set PREMATH_ROOT.`,
    detail: { top },
  })

async function textOf(path: string, files: Files): Promise<string> {
  const bytes = await files.readIfPresent(path)
  return bytes ? new TextDecoder().decode(bytes) : ''
}
