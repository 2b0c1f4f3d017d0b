/** A folder of one case, made when it is first wanted and gone with the case. */
import type { RunnerWorld } from './runner-world.ts'

export class TemporaryFolder {
  readonly #world: Pick<RunnerWorld, 'disk'>
  #path: string | undefined

  constructor(world: Pick<RunnerWorld, 'disk'>) {
    this.#world = world
  }

  /** `undefined` where nobody wanted it so far. */
  get path(): string | undefined {
    return this.#path
  }

  async make(): Promise<string> {
    const disk = await this.#world.disk()
    // Links followed: on some machines the place for such folders is one.
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
