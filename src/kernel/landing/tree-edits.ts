/** Reads the output of `git diff-tree --raw -z`. */
import type { TreeEdit } from './protected-paths.ts'

const kinds: Readonly<Record<string, TreeEdit['kind']>> = { A: 'added', D: 'removed' }

/** Two fields for each path: `:<mode> <mode> <blob> <blob> <status>`, then the path. */
export function readTreeEdits(fields: readonly string[]): readonly TreeEdit[] {
  const edits: TreeEdit[] = []
  // A commit as the first tree is named before its differences.
  const from = fields.findIndex(field => field.startsWith(':'))
  for (let at = Math.max(from, 0); at + 1 < fields.length; at += 2) {
    const [, modeAfter = '', , , status = ''] = (fields[at] ?? '').split(' ')
    const path = fields[at + 1] ?? ''
    const kind = kinds[status.slice(0, 1)] ?? 'changed'
    edits.push({ path, kind, isFile: kind === 'removed' || modeAfter.startsWith('100') })
  }
  return edits
}
