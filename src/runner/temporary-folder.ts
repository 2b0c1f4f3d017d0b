/** The temporary folder of one case, created on first use and removed with the case. */
import type { RunnerWorld } from './runner-world.ts'

export class TemporaryFolder {
  readonly #world: Pick<RunnerWorld, 'disk'>
  #path: string | undefined

  constructor(world: Pick<RunnerWorld, 'disk'>) {
    this.#world = world
  }

  /** `undefined` before the first use. */
  get path(): string | undefined {
    return this.#path
  }

  async make(): Promise<string> {
    const disk = await this.#world.disk()
    // Resolve links: on some systems the temporary folder is a link.
    this.#path ??= await disk.realPath(await disk.makeTemporaryFolder())
    return this.#path
  }

  async remove(): Promise<void> {
    const path = this.#path
    if (path === undefined) return
    this.#path = undefined
    await (await this.#world.disk()).removeFolder(path)
  }
}
