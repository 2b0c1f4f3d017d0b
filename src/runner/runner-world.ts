/** The part of the world that reading specs needs. */
import type { Disk, Files } from '../world/world.ts'

export interface RunnerWorld {
  readonly files: Files
  /** The working folder. */
  cwd(): string
  /** Loaded on first use. */
  disk(): Promise<Disk>
}

/** Absolute, without `.` and `..`. */
export function absolutePath(path: string, { cwd }: Pick<RunnerWorld, 'cwd'>): string {
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${cwd()}/${path}`).split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** Relative to the working folder if the path lies below it. */
export function shownPath(absolute: string, { cwd }: Pick<RunnerWorld, 'cwd'>): string {
  const here = cwd().replace(/\/?$/, '/')
  return absolute.startsWith(here) && absolute !== here ? absolute.slice(here.length) : absolute
}
