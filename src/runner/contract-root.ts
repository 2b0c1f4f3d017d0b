/** Finds the folder that `/` stands for in a document. */
import { type ContractPath, contractPath } from '../kernel/spec/contract-path.ts'
import { absolutePath, type RunnerWorld } from './runner-world.ts'

/**
 * The given root; else the nearest folder above the document that contains `.git` (a file in a
 * linked worktree); else the project; else the document's own folder.
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

/** An absolute path on disk. */
export const below = (root: string, path: ContractPath): string =>
  `${root === '/' ? '' : root}${path}`

/** The document's path relative to its root; `undefined` if it lies outside. */
export function pathBelow(root: string, absolute: string): ContractPath | undefined {
  if (!absolute.startsWith(below(root, '/'))) return undefined
  const read = contractPath(absolute.slice(root === '/' ? 0 : root.length))
  return 'path' in read ? read.path : undefined
}
