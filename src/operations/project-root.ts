/** Where the project is: the nearest folder, from here upwards, that holds a `.premath`. */
import { Fault } from '../fault.ts'
import type { OperationContext } from './operation.ts'

type Place = Pick<OperationContext, 'cwd' | 'env' | 'files'>

/**
 * The project's root, or `undefined` where there is none. `PREMATH_ROOT` overrides. A linked git
 * worktree shares the memory of the main one: work is claimed once, wherever it is done.
 */
export async function findProjectRoot(place: Place): Promise<string | undefined> {
  const given = place.env['PREMATH_ROOT']
  if (given) return await namedRoot(resolvePath(place.cwd(), given), place)
  for (const folder of foldersUp((await inMainWorktree(place)) ?? place.cwd())) {
    if ((await place.files.kindOf(`${folder}/.premath`)) === 'folder') return folder || '/'
  }
  return undefined
}

/** A root that is not there would look like a project that claims nothing and holds nothing. */
async function namedRoot(path: string, { files }: Place): Promise<string> {
  if ((await files.kindOf(path)) === 'folder') return path
  throw new Fault('usage', `PREMATH_ROOT names ${path}, which is no folder`, {
    hint: 'Name the folder that holds .premath, or unset PREMATH_ROOT.',
  })
}

/** Where a project would begin: the main worktree's folder for this one, or this one. */
export async function projectRoot(place: Place): Promise<string> {
  return (await findProjectRoot(place)) ?? (await inMainWorktree(place)) ?? place.cwd()
}

/** `''` stands for the topmost folder, so that `${folder}/name` is a path. */
function foldersUp(folder: string): readonly string[] {
  const segments = folder.split('/').filter(Boolean)
  return [...segments.keys(), segments.length]
    .map(depth => segments.slice(0, depth).join('/'))
    .map(path => (path === '' ? '' : `/${path}`))
    .reverse()
}

/** This folder's counterpart in the main worktree, when it lies in a linked one. */
async function inMainWorktree({ cwd, files }: Place): Promise<string | undefined> {
  const here = cwd()
  for (const folder of foldersUp(here)) {
    const kind = await files.kindOf(`${folder}/.git`)
    if (kind === undefined) continue
    if (kind === 'folder') return undefined
    const main = await mainWorktreeOf(folder, files)
    return main === undefined
      ? undefined
      : `${main}${here.replace(/\/+$/, '').slice(folder.length)}`
  }
  return undefined
}

/** The `.git` of a linked worktree is a file that names a folder inside the main one's `.git`. */
async function mainWorktreeOf(
  worktree: string,
  files: Place['files'],
): Promise<string | undefined> {
  const gitFolder = /^gitdir: (.+)$/m.exec(await textOf(`${worktree}/.git`, files))?.[1]
  if (gitFolder === undefined) return undefined
  const own = resolvePath(worktree, gitFolder.trimEnd())
  // A submodule has such a file too, but its folder names no common one.
  const common = (await textOf(`${own}/commondir`, files)).trimEnd()
  if (common === '') return undefined
  const shared = resolvePath(own, common)
  return shared.endsWith('/.git') ? shared.slice(0, -'/.git'.length) : undefined
}

async function textOf(path: string, files: Place['files']): Promise<string> {
  const bytes = await files.readIfPresent(path)
  return bytes ? new TextDecoder().decode(bytes) : ''
}

/** The path from `folder`, without `.` and `..`; absolute paths stay themselves. */
export function resolvePath(folder: string, path: string): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}
