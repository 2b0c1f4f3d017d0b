/** Draws dependency trees that fit the page. */
import type { Ink, Page } from '../../answer.ts'
import type { GraphIntegrity } from '../../kernel/issues/graph/dependency-cycle.ts'
import type { TreeNode } from '../../kernel/issues/graph/dependency-tree.ts'
import { cut, widthOf } from '../../kernel/text/text-width.ts'
import { visible } from '../../kernel/text/visible.ts'
import { rowColumns, wrap } from '../columns.ts'

/** Columns reserved for the issue, however deep its branch. */
const issueColumnsMin = 30

/** One line per issue, in parts, because the width is measured before colour is added. */
export function treeLines(root: TreeNode, page: Page): readonly string[] {
  const lines: string[] = []
  const draw = (node: TreeNode, before: string, branch: string, below: string) => {
    lines.push(lineOf(node, `${before}${branch}`, page))
    for (const [at, child] of node.children.entries()) {
      const isLast = at === node.children.length - 1
      draw(child, `${before}${below}`, isLast ? '└── ' : '├── ', isLast ? '    ' : '│   ')
    }
  }
  draw(root, '', '', '')
  return lines
}

function lineOf(node: TreeNode, drawn: string, page: Page): string {
  const columns = rowColumns(page)
  const branch = fittedBranch(drawn, columns)
  const state = `[${stateOf(node)}]`
  const note = noteOf(node)
  const id = visible(node.id)
  const used = widthOf(branch) + widthOf(id) + 1 + widthOf(state) + (note ? note.length + 1 : 0)
  const title = cut(visible(node.issue?.title ?? ''), columns - used - 1)
  const inked = [
    page.ink('dim', branch) + page.ink('bold', cut(id, columns - widthOf(branch))),
    page.ink(stateInk(node), state),
    title,
    page.ink(node.folded === 'cycle' ? 'red' : 'dim', note),
  ]
  const plainWidth = used + (title ? widthOf(title) + 1 : 0)
  // An id that does not fit leaves no room for the rest.
  if (plainWidth > columns) return cut(`${branch}${id} ${state} ${note}`, columns)
  return [inked[0], inked[1], title && inked[2], note && inked[3]].filter(Boolean).join(' ')
}

/** Deep branches are cut at the left, so that the issue stays on the page. */
function fittedBranch(branch: string, columns: number): string {
  const room = Math.max(8, columns - issueColumnsMin)
  return branch.length <= room ? branch : `…${branch.slice(branch.length - room + 1)}`
}

function stateOf({ issue, type }: TreeNode): string {
  const status = issue ? visible(issue.status) : 'missing'
  return type === undefined || type === 'blocks' ? status : `${status}, ${type}`
}

function stateInk({ issue }: TreeNode): Ink {
  if (!issue) return 'red'
  if (issue.status === 'closed') return 'green'
  return issue.status === 'open' ? 'cyan' : 'yellow'
}

function noteOf({ folded, foldedCount }: TreeNode): string {
  if (folded === 'cycle') return '(cycle)'
  if (folded === 'repeated') return '(shown above)'
  return folded ? `(${foldedCount} below)` : ''
}

/** Never shortened: part of a cycle is useless. */
export function cycleLine({ cyclePath }: GraphIntegrity, page: Page): string {
  if (!cyclePath) return ''
  const [first = '', ...rest] = wrap(`Cycle: ${visible(cyclePath.join(' -> '))}`, page.columns)
  return [first.replace('Cycle', word => page.ink('red', word)), ...rest, ''].join('\n')
}
