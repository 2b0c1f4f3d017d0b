/** Decides which files of a person keep a commit from being checked out over them. */

export interface TreeChange {
  /** `retyped`: a file, a link or a submodule becomes another of these. */
  readonly status: 'added' | 'changed' | 'retyped' | 'deleted'
  readonly path: string
}

export interface CheckedOut {
  /** Paths in the index. */
  readonly indexed: ReadonlySet<string>
  /** Indexed paths that differ from the commit that is checked out, staged or not. */
  readonly changed: ReadonlySet<string>
  /** Paths on disk of the asked ones, and of their parent folders. */
  readonly onDisk: ReadonlyMap<string, 'file' | 'folder'>
  /** Folders on disk that hold a file which is not in the index, or the repository of a submodule. */
  readonly heldFolders: ReadonlySet<string>
}

/**
 * The paths in the way, in order: a file that the person changed, and anything on disk that is not
 * in the index where a file is to be added. Ignored files count: git would overwrite them.
 */
export function pathsInTheWay(
  changes: readonly TreeChange[],
  { indexed, changed, onDisk, heldFolders }: CheckedOut,
): readonly string[] {
  const found = new Set<string>()
  for (const { status, path } of changes) {
    if (changed.has(path)) found.add(path)
    // Git would remove the folder of the submodule with all that is in it.
    if (status === 'retyped' && heldFolders.has(path)) found.add(path)
    if (status !== 'added' || indexed.has(path)) continue
    const kind = onDisk.get(path)
    if (kind === 'file' || (kind === 'folder' && heldFolders.has(path))) found.add(path)
    const blocking = parentsOf(path).find(
      parent => onDisk.get(parent) === 'file' && !indexed.has(parent),
    )
    if (blocking !== undefined) found.add(blocking)
  }
  return [...found].sort()
}

/** `a/b/c` has the parents `a` and `a/b`. */
export function parentsOf(path: string): readonly string[] {
  const names = path.split('/')
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'))
}
