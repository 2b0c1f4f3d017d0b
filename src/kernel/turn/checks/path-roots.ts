/** Allowed root folders, compared by whole segments: `/repo-b` is not below `/repo`. */
export class PathRoots {
  readonly #roots: ReadonlySet<string>

  constructor(roots: readonly string[]) {
    this.#roots = new Set(roots.map(normalPath))
  }

  /** Whether the path is a root or below one, after resolving `.` and `..`. */
  cover(path: string): boolean {
    const segments = segmentsOf(path)
    const start = path.startsWith('/') ? '/' : ''
    return segments.concat('').some((_, length) => {
      // A path that climbs out of a folder is not below it.
      const climbs = segments[length] === '..'
      return !climbs && this.#roots.has(start + segments.slice(0, length).join('/'))
    })
  }
}

/** A path without `.`, `..` and doubled slashes. */
export function normalPath(path: string): string {
  return (path.startsWith('/') ? '/' : '') + segmentsOf(path).join('/')
}

/** `..` at the root is dropped; at the start of a relative path it stays. */
function segmentsOf(path: string): string[] {
  const kept: string[] = []
  const rooted = path.startsWith('/')
  for (const segment of path.split('/')) {
    if (segment === '..' && (rooted || (kept.length > 0 && kept.at(-1) !== '..'))) kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept
}
