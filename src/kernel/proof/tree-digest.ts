/** One name for all that is in a project's folder, whatever keeps its history. */
import { byCodePoint, type Sha256 } from '../canonical.ts'

export interface TreeEntry {
  /** From the top, with slashes. */
  readonly path: string
  /** As git writes it: a file, a program, a link. */
  readonly mode: '100644' | '100755' | '120000'
  /** SHA-256 of its bytes, or of where the link leads, in lower-case hexadecimal. */
  readonly sha256: string
}

export type TreeDigest = `tree1_${string}`

/** Ours, and about the tree: what is written there must not change what it tells of. */
const leftOut = ['.git', '.premath', 'artifacts']

export const isInTree = (path: string): boolean =>
  !leftOut.some(name => path === name || path.startsWith(`${name}/`))

/** A path may hold anything but a NUL. */
export function treeDigest(entries: readonly TreeEntry[], sha256: Sha256): TreeDigest {
  const lines = entries
    .filter(({ path }) => isInTree(path))
    .toSorted((a, b) => byCodePoint(a.path, b.path))
    .map(entry => `${entry.mode} ${entry.sha256} ${entry.path}\0`)
  return `tree1_${sha256(lines.join(''))}`
}
