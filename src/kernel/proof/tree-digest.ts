/** The digest of all files of a project. It does not depend on version control. */
import { byCodePoint, type Sha256 } from '../canonical.ts'

export interface TreeEntry {
  /** Relative to the project folder, with slashes. */
  readonly path: string
  /** The modes of git: a file, an executable file, a symbolic link. */
  readonly mode: '100644' | '100755' | '120000'
  /** SHA-256 of the content or of the link's target, in lower-case hexadecimal. */
  readonly sha256: string
}

export type TreeDigest = `tree1_${string}`

/** Holds records about the tree, such as witnesses. Writing them must not change the tree. */
const leftOut: ReadonlySet<string> = new Set(['.git', '.premath', 'artifacts'])

export function isInTree(path: string): boolean {
  const end = path.indexOf('/')
  return !leftOut.has(end === -1 ? path : path.slice(0, end))
}

/** Each line ends with NUL, the only character that no path contains. */
export function treeDigest(entries: readonly TreeEntry[], sha256: Sha256): TreeDigest {
  const lines = entries
    .filter(({ path }) => isInTree(path))
    .toSorted((a, b) => byCodePoint(a.path, b.path))
    .map(entry => `${entry.mode} ${entry.sha256} ${entry.path}\0`)
  return `tree1_${sha256(lines.join(''))}`
}
