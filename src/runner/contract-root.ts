/** The folder that `/` means in a document, and whether a path on disk stays in it. */
import { type ContractPath, contractPath, type RefusedPath } from '../kernel/spec/contract-path.ts'
import type { Disk } from '../world/world.ts'
import { absolutePath, type RunnerWorld } from './runner-world.ts'

/**
 * As given; else the nearest folder above the document that holds `.git`, which in a linked
 * worktree is a file; else that of the project; else the document's own folder.
 */
export async function contractRoot(
  documentPath: string,
  given: string | undefined,
  world: RunnerWorld,
): Promise<string> {
  if (given !== undefined) return absolutePath(given, world)
  const folder = parentOf(absolutePath(documentPath, world))
  let project: string | undefined
  for (let above = folder; ; above = parentOf(above)) {
    if ((await world.files.kindOf(below(above, '/.git'))) !== undefined) return above
    if ((await world.files.kindOf(below(above, '/.premath'))) === 'folder') project ??= above
    if (above === '/') return project ?? folder
  }
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'

/** A path on disk. */
export const below = (root: string, path: ContractPath): string =>
  `${root === '/' ? '' : root}${path}`

/**
 * The path on disk that a path of a spec means, links followed, or why it must not be touched.
 * Asked before anything is opened.
 */
export async function confined(
  root: string,
  path: ContractPath,
  disk: Pick<Disk, 'realPath'>,
): Promise<{ readonly realPath: string } | RefusedPath> {
  const realRoot = await disk.realPath(root)
  const realPath = await disk.realPath(below(root, path))
  const isInside = realPath === realRoot || realPath.startsWith(below(realRoot, '/'))
  return isInside ? { realPath } : { refused: 'escapes contract root through a link' }
}

/** What a document's own path is to others that share its root; `undefined` when it lies outside. */
export function pathBelow(root: string, absolute: string): ContractPath | undefined {
  if (!absolute.startsWith(below(root, '/'))) return undefined
  const read = contractPath(absolute.slice(root === '/' ? 0 : root.length))
  return 'path' in read ? read.path : undefined
}
