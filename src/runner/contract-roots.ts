/** Whether paths on disk stay in their contract root, and how they are told of. */
import type { Fault } from '../fault.ts'
import type { ContractPath, RefusedPath } from '../kernel/spec/contract-path.ts'
import { below } from './contract-root.ts'
import type { RunnerWorld } from './runner-world.ts'

export class ContractRoots {
  readonly #world: Pick<RunnerWorld, 'disk'>
  /** Every case asks, and a root that is moved meanwhile holds nothing any more. */
  readonly #real = new Map<string, string>()

  constructor(world: Pick<RunnerWorld, 'disk'>) {
    this.#world = world
  }

  /** Where the root lies, links followed. */
  async realRoot(root: string): Promise<string> {
    const known = this.#real.get(root)
    if (known !== undefined) return known
    const real = await (await this.#world.disk()).realPath(root)
    this.#real.set(root, real)
    return real
  }

  /**
   * The path on disk that a path of a spec means, links followed, or why it must not be touched.
   * Asked before anything is opened.
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

  /** What a fault says, by the path that the spec has: where the root lies is nobody's business. */
  told({ message }: Fault, root: string): string {
    const starts = [this.#real.get(root) ?? root, root].map(one => below(one, '/'))
    const start = starts.find(one => message.includes(one)) ?? '/'
    return message.replace(start, '/')
  }
}
