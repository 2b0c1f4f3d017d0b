/** Folders that paths may lie under, told by whole segments: `/repo-b` is not under `/repo`. */
export class PathRoots {
  readonly #roots: ReadonlySet<string>

  constructor(roots: readonly string[]) {
    this.#roots = new Set(roots.map(normalPath))
  }

  /** Whether the path is a root or below one, after `.` and `..` are resolved. */
  cover(path: string): boolean {
    const segments = segmentsOf(path)
    const start = path.startsWith('/') ? '/' : ''
    return segments.concat('').some((_, length) => {
      // What climbs out of a folder is not below it.
      const climbs = segments[length] === '..'
      return !climbs && this.#roots.has(start + segments.slice(0, length).join('/'))
    })
  }
}

/** A path without `.`, `..` and doubled slashes. */
export function normalPath(path: string): string {
  return (path.startsWith('/') ? '/' : '') + segmentsOf(path).join('/')
}

/** Above the root there is nothing; above a relative start there is, so its `..` stays. */
function segmentsOf(path: string): string[] {
  const kept: string[] = []
  const rooted = path.startsWith('/')
  for (const segment of path.split('/')) {
    if (segment === '..' && (rooted || (kept.length > 0 && kept.at(-1) !== '..'))) kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept
}
