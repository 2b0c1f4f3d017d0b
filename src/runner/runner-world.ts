/** What of the world reading specs touches. */
import type { Disk, Files } from '../world/world.ts'

export interface RunnerWorld {
  readonly files: Files
  /** The working folder. */
  cwd(): string
  /** Loaded when it is asked for. */
  disk(): Promise<Disk>
}

/** From the top of the disk, without `.` and `..`. */
export function absolutePath(path: string, { cwd }: Pick<RunnerWorld, 'cwd'>): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${cwd()}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** As a person names it: from the working folder where it lies below that. */
export function shownPath(absolute: string, { cwd }: Pick<RunnerWorld, 'cwd'>): string {
  const here = cwd().replace(/\/?$/, '/')
  return absolute.startsWith(here) && absolute !== here ? absolute.slice(here.length) : absolute
}
