import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DependencyType } from '../../../wire/issue/issue.ts'
import { type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import {
  dependencyForest,
  dependencyTree,
  type TreeNode,
  type TreeOptions,
} from './dependency-tree.ts'

type Edge = string | readonly [target: string, type: DependencyType]
type Row = readonly [id: string, edges?: readonly Edge[], status?: string]

function memoryOf(rows: readonly Row[]): IssueMemory {
  const memory = new IssueMemory()
  for (const [id, edges = [], status = 'open'] of rows) {
    const dependencies = edges.map(edge => {
      const [target, type] = typeof edge === 'string' ? [edge, 'blocks'] : edge
      return { issue_id: id, depends_on_id: target, type }
    })
    memory.put(readIssue({ id, title: id, status, dependencies }) as Issue)
  }
  return memory
}

const usual: TreeOptions = { depth: 10, reverse: false, blockingOnly: false, closedToo: false }

/** `a(b c!repeated)`: an issue with its children, and the reason of a fold. */
function sketch({ id, issue, folded, children }: TreeNode): string {
  const name = `${id}${issue ? '' : '?'}${folded ? `!${folded}` : ''}`
  return children.length === 0 ? name : `${name}(${children.map(sketch).join(' ')})`
}

const tree = (rows: readonly Row[], id: string, options: Partial<TreeOptions> = {}) =>
  sketch(dependencyTree(memoryOf(rows), id, { ...usual, ...options }))

const forest = (rows: readonly Row[], options: Partial<TreeOptions> = {}) => {
  const { trees, loneCount } = dependencyForest(memoryOf(rows), { ...usual, ...options })
  return [...trees.map(sketch), loneCount]
}

describe('the tree of an issue', () => {
  const rows: readonly Row[] = [
    ['bd-1', ['bd-10', 'bd-2', ['bd-3', 'related']]],
    ['bd-2', ['bd-3']],
    ['bd-3', ['gone']],
    ['bd-10', ['bd-2', 'bd-4']],
    ['bd-4', ['bd-3'], 'closed'],
  ]

  test('expands each issue once, with children in natural order', () => {
    expect(tree(rows, 'bd-1')).toBe(
      'bd-1(bd-2(bd-3(gone?)) bd-3!repeated bd-10(bd-2!repeated bd-4!closed))',
    )
  })

  test('stops at the given depth, and counts the hidden issues', () => {
    expect(tree(rows, 'bd-1', { depth: 1 })).toBe('bd-1(bd-2!depth bd-3!depth bd-10!depth)')
    const node = dependencyTree(memoryOf(rows), 'bd-10', { ...usual, depth: 0 })
    expect(node).toMatchObject({ folded: 'depth', foldedCount: 2, children: [] })
  })

  test('expands closed issues on request, and always at the root', () => {
    expect(tree(rows, 'bd-10', { closedToo: true })).toBe(
      'bd-10(bd-2(bd-3(gone?)) bd-4(bd-3!repeated))',
    )
    expect(tree(rows, 'bd-4')).toBe('bd-4(bd-3(gone?))')
  })

  test('can be limited to blocking edges', () => {
    const related: readonly Row[] = [['a', [['b', 'related'], 'c']], ['b'], ['c']]
    expect(tree(related, 'a', { blockingOnly: true })).toBe('a(c)')
    expect(dependencyTree(memoryOf(related), 'a', usual).children.map(child => child.type)).toEqual(
      ['related', 'blocks'],
    )
  })

  test('can be reversed', () => {
    expect(tree(rows, 'gone', { reverse: true })).toBe(
      'gone?(bd-3(bd-1 bd-2(bd-1!repeated bd-10(bd-1!repeated)) bd-4!closed))',
    )
  })

  test('marks a cycle', () => {
    expect(
      tree(
        [
          ['a', ['b']],
          ['b', ['a', 'b']],
        ],
        'a',
      ),
    ).toBe('a(b(a!cycle b!cycle))')
  })
})

describe('the forest', () => {
  test('begins at issues without dependents, and counts isolated ones', () => {
    const rows: readonly Row[] = [
      ['bd-10', ['bd-1']],
      ['bd-2', ['bd-1']],
      ['bd-1'],
      ['bd-7'],
      ['bd-8', [], 'closed'],
    ]
    expect(forest(rows)).toEqual(['bd-2(bd-1)', 'bd-10(bd-1!repeated)', 1])
  })

  test('begins at open issues, and at closed ones on request', () => {
    const rows: readonly Row[] = [['done', ['a'], 'closed'], ['a', ['b']], ['b']]
    expect(forest(rows)).toEqual(['a(b)', 0])
    expect(forest(rows, { closedToo: true })).toEqual(['done(a(b))', 0])
  })

  test('has a tree for a cycle without dependents', () => {
    expect(forest([['a', ['b']], ['b', ['a']], ['c', ['d']], ['d']])).toEqual([
      'c(d)',
      'a(b(a!cycle))',
      0,
    ])
  })

  test('shows every open issue with an edge, each expanded at most once', () => {
    const id = fc.constantFrom(...'abcdefgh')
    const row = fc.record({
      edges: fc.array(id, { maxLength: 4 }),
      status: fc.constantFrom('open', 'closed'),
    })
    fc.assert(
      fc.property(fc.dictionary(id, row, { maxKeys: 8 }), fc.boolean(), (graph, reverse) => {
        const memory = memoryOf(
          Object.entries(graph).map(([name, { edges, status }]) => [name, edges, status]),
        )
        const { trees, loneCount } = dependencyForest(memory, { ...usual, depth: 100, reverse })
        const seen = new Set<string>()
        const unfolded: string[] = []
        const visit = (node: TreeNode) => {
          seen.add(node.id)
          if (node.children.length > 0) unfolded.push(node.id)
          for (const child of node.children) visit(child)
        }
        for (const root of trees) visit(root)
        expect(new Set(unfolded).size).toBe(unfolded.length)
        const open = memory.all().filter(({ status }) => status !== 'closed')
        const unseen = open.filter(issue => !seen.has(issue.id))
        expect(unseen.length).toBe(loneCount)
      }),
      { numRuns: 300 },
    )
  })
})
