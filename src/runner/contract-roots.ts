/** Checks that paths stay below their contract root, and shortens them for messages. */
import { Fault } from '../fault.ts'
import { type ContractPath, contractPath, type RefusedPath } from '../kernel/spec/contract-path.ts'
import { absolutePath, type RunnerWorld } from './runner-world.ts'

export class ContractRoots {
  readonly #world: Pick<RunnerWorld, 'disk'>
  /** Resolved once per root: every case asks for it. */
  readonly #real = new Map<string, string>()

  constructor(world: Pick<RunnerWorld, 'disk'>) {
    this.#world = world
  }

  /** The root with links resolved. */
  async realRoot(root: string): Promise<string> {
    const known = this.#real.get(root)
    if (known !== undefined) return known
    const real = await (await this.#world.disk()).realPath(root)
    this.#real.set(root, real)
    return real
  }

  /**
   * Resolves a spec's path on disk, or says why it is refused. Call it before opening anything.
   */
  async confined(
    root: string,
    path: ContractPath,
  ): Promise<{ readonly realPath: string } | RefusedPath> {
    const realRoot = await this.realRoot(root)
    const realPath = await (await this.#world.disk()).realPath(below(root, path))
    const isInside = realPath === realRoot || realPath.startsWith(below(realRoot, '/'))
    return isInside ? { realPath } : { refused: 'escapes contract root through a link' }
  }

  /** Says why a path is refused. A file that cannot be reached yet is not. */
  async refusalOf(root: string, path: ContractPath): Promise<string | undefined> {
    try {
      const place = await this.confined(root, path)
      return 'refused' in place ? place.refused : undefined
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  /** Replaces absolute paths in the message: a report must not reveal where the root lies. */
  withoutRoot({ message }: Fault, root: string): string {
    const starts = [this.#real.get(root) ?? root, root].map(one => below(one, '/'))
    const start = starts.find(one => message.includes(one)) ?? '/'
    return message.replace(start, '/')
  }
}

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
