/** The temporary folder of a case, or of all cases of a chain. */
import type { RunnerWorld } from './runner-world.ts'

export interface TemporaryFolder {
  /** `undefined` before the first use. */
  readonly path: string | undefined
  /** True if other cases of a chain leave their files in it. */
  readonly isShared: boolean
  make(): Promise<string>
  remove(): Promise<void>
}

/** Created on first use, and removed with the case that owns it. */
export class OwnFolder implements TemporaryFolder {
  readonly isShared: boolean
  readonly #world: Pick<RunnerWorld, 'disk'>
  #path: string | undefined

  constructor(world: Pick<RunnerWorld, 'disk'>, isShared = false) {
    this.#world = world
    this.isShared = isShared
  }

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

/** The same folder for a case that does not own it. */
export const lent = (folder: TemporaryFolder): TemporaryFolder => ({
  get path() {
    return folder.path
  },
  isShared: true,
  make: () => folder.make(),
  remove: async () => {},
})
