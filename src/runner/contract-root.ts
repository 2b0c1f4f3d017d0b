/** The folder that `/` means in a document. */
import { type ContractPath, contractPath } from '../kernel/spec/contract-path.ts'
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

/** What a document's own path is to others that share its root; `undefined` when it lies outside. */
export function pathBelow(root: string, absolute: string): ContractPath | undefined {
  if (!absolute.startsWith(below(root, '/'))) return undefined
  const read = contractPath(absolute.slice(root === '/' ? 0 : root.length))
  return 'path' in read ? read.path : undefined
}
