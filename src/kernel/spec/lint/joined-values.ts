/**
 * Warns about several values of one leaf in `cannot`: they must not all hold, but each alone may.
 */
import { type AssertNode, isJoinedIn } from '../assert/assert-tree.ts'
import type { LintedCase, Warning } from './linted-case.ts'

export const joinedValues = ({ root }: LintedCase): readonly Warning[] => joinedIn(root)

function joinedIn(node: AssertNode): readonly Warning[] {
  if (node.kind === 'leaf') return []
  return node.children.flatMap(child =>
    isJoinedIn(node, child) ? [joined(child.path, child.children.length)] : joinedIn(child),
  )
}

const joined = (path: string, count: number): Warning => ({
  path,
  code: 'lint.joined_values',
  message: `fails only where all ${count} of its values hold at once: one of them alone passes`,
  hint: 'Write a leaf for each of them under cannot, where none of them may hold.',
})
