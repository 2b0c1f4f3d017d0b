import type { WatchListener } from './world.ts'

/** The paths that a listener follows. */
export class WatchedPaths {
  readonly #passesOver: WatchListener['passesOver']
  readonly #paths = new Set<string>()
  readonly #above = new Set<string>()

  constructor({ passesOver }: Pick<WatchListener, 'passesOver'>) {
    this.#passesOver = passesOver
  }

  /** Returns those that were not covered before. */
  add(paths: readonly string[]): readonly string[] {
    const added = paths.filter(path => !this.covers(path))
    for (const path of added) {
      this.#paths.add(path)
      for (const folder of foldersAbove(path)) this.#above.add(folder)
    }
    return added
  }

  /** Whether a followed path lies below this one, present or not. */
  isAbove(path: string): boolean {
    return this.#above.has(path)
  }

  /** Whether the path is followed, or lies below one that is, with no ignored name in between. */
  covers(path: string): boolean {
    for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (this.#paths.has(path.slice(0, end))) return true
      if (this.#passesOver(path.slice(path.lastIndexOf('/', end - 1) + 1, end))) return false
    }
    return this.#paths.has('/')
  }
}

/** Nearest first. */
export function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, parts.length - at).join('/') || '/')
}
