import type { Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { countField, flagField, textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import {
  dependencyForest,
  dependencyTree,
  type Folded,
  type TreeNode,
  treeDepthMax,
} from '../../kernel/issues/graph/dependency-tree.ts'
import { issueNotFound } from '../../kernel/issues/issue-refusal.ts'
import { openProject } from '../../project/open.ts'
import { wrap } from '../../render/columns.ts'
import { treeLines } from '../../render/issues/dep-tree-page.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { DepTreeAnswer } from '../../wire/answers/dep.ts'
import { operation } from '../operation.ts'
import { readIssueMemory } from '../read-issues.ts'

export const depTree = operation({
  group: 'dep',
  summary: 'Show the dependencies of an issue as a tree.',
  description:
    'Below each issue are its dependencies; types other than blocks are named. Each issue is expanded once and marked where it occurs again. Without an id, there is a tree for every issue that is not closed and that no other issue depends on. Closed issues are shown but not expanded, unless --all is given.',
  effect: 'read',
  opId: 'op/dep.tree',
  input: {
    id: textField('id', 'The root issue.', { positional: true, names: 'issue' }),
    depth: countField('n', `The number of levels, at most ${treeDepthMax}.`, { default: 8 }),
    reverse: flagField('Show dependents instead of dependencies.'),
    blocking: flagField('Follow only blocking dependencies.'),
    all: flagField('Expand closed issues too, and start trees at them.'),
    ...memoryFields,
  },
  output: DepTreeAnswer,
  examples: {
    'premath dep tree bd-7': 'everything bd-7 depends on',
    'premath dep tree --blocking': 'the order of all open work',
    'premath dep tree bd-1 --reverse --json': 'the dependents of bd-1 as nested JSON',
  },

  async run({ id, depth, reverse, blocking, all, ...rest }, context) {
    if (depth > treeDepthMax) {
      throw new Fault('usage', `dep tree: --depth is at most ${treeDepthMax}, not ${depth}`)
    }
    const { memory, issuesPath, notices } = await readIssueMemory(await openProject(context), rest)
    if (id !== undefined && !memory.has(id)) {
      return rejected('dep.tree', issuesPath, issueNotFound(id, memory))
    }
    const options = { depth, reverse, blockingOnly: blocking, closedToo: all }
    const { trees, loneCount } =
      id === undefined
        ? dependencyForest(memory, options)
        : { trees: [dependencyTree(memory, id, options)], loneCount: 0 }
    return {
      output: {
        action: 'dep.tree',
        issuesPath,
        direction: reverse ? 'dependents' : 'dependencies',
        depth,
        count: trees.length,
        loneCount,
        trees: trees.map(nodeOf),
      } as Readonly<Record<string, unknown>>,
      yes: true,
      ...notices,
      render: (page: Page) => treePage(trees, loneCount, depth, page),
    }
  },
})

interface ShownNode {
  readonly id: string
  readonly title: string | null
  readonly status: string | null
  readonly priority: number | null
  readonly missing: boolean
  readonly type: string | null
  readonly folded: Folded | null
  readonly foldedCount: number
  readonly children: readonly ShownNode[]
}

function nodeOf({ id, issue, type, folded, foldedCount, children }: TreeNode): ShownNode {
  return {
    id,
    title: issue?.title ?? null,
    status: issue?.status ?? null,
    priority: issue?.priority ?? null,
    missing: issue === undefined,
    type: type ?? null,
    folded: folded ?? null,
    foldedCount,
    children: children.map(nodeOf),
  }
}

function treePage(
  trees: readonly TreeNode[],
  loneCount: number,
  depth: number,
  page: Page,
): string {
  const lines = trees.flatMap(tree => treeLines(tree, page))
  const folds = new Set(trees.flatMap(foldsOf))
  const notes = [
    folds.has('depth') && `Cut at depth ${depth}; use --depth to go deeper.`,
    folds.has('closed') && 'Closed issues are not expanded; use --all to expand them.',
    loneCount > 0 && `${loneCount} without dependencies; premath issue list shows them.`,
  ].filter(note => note !== false)
  if (lines.length === 0) lines.push('No dependencies.')
  const below =
    notes.length > 0
      ? ['', ...notes.flatMap(note => wrap(note, page.columns)).map(line => page.ink('dim', line))]
      : []
  return `${[...lines, ...below].join('\n')}\n`
}

function foldsOf({ folded, children }: TreeNode): readonly Folded[] {
  return [...(folded ? [folded] : []), ...children.flatMap(foldsOf)]
}
