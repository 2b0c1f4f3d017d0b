import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DependencyType } from '../../../wire/issue/issue.ts'
import { type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import {
  compactnessFindings,
  isRedundantBlock,
  keepsOrder,
  withoutBlocks,
  workOrder,
} from './graph-compactness.ts'

type Row = readonly [id: string, targets?: readonly string[], status?: string]

function memoryOf(rows: readonly Row[], type: DependencyType = 'blocks'): IssueMemory {
  const memory = new IssueMemory()
  for (const [id, targets = [], status = 'open'] of rows) {
    const dependencies = targets.map(target => ({ issue_id: id, depends_on_id: target, type }))
    memory.put(readIssue({ id, title: id, status, dependencies }) as Issue)
  }
  return memory
}

const brief = (memory: IssueMemory) =>
  compactnessFindings(memory).map(
    ({ class: name, issueId, dependsOnId }) =>
      `${name.replace('issue_graph.compactness.', '')} ${issueId} ${dependsOnId}`,
  )

describe('an edge is redundant', () => {
  test('if its target is closed, and if a longer path exists', () => {
    const memory = memoryOf([
      ['a', ['b', 'c', 'd'], 'in_progress'],
      ['b', ['c']],
      ['c', []],
      ['d', [], 'closed'],
    ])
    expect(compactnessFindings(memory)).toEqual([
      {
        class: 'issue_graph.compactness.closed_block_edge',
        issueId: 'a',
        dependsOnId: 'd',
        message: 'd is closed and blocks nothing any more',
      },
      {
        class: 'issue_graph.compactness.transitive_block_edge',
        issueId: 'a',
        dependsOnId: 'c',
        message: 'a waits for c anyway: a -> b -> c',
        witnessPath: ['a', 'b', 'c'],
      },
    ])
  })

  test.each([
    [
      'unless the issue is not active',
      [
        ['a', ['b'], 'blocked'],
        ['b', [], 'closed'],
      ],
      [],
    ],
    [
      'unless the way leads over a closed issue',
      [['a', ['b', 'c']], ['b', ['c'], 'closed'], ['c']],
      ['closed_block_edge a b'],
    ],
    [
      'once, when it is closed and a longer way leads there',
      [
        ['a', ['b', 'c']],
        ['b', ['c'], 'blocked'],
        ['c', [], 'closed'],
      ],
      ['closed_block_edge a c'],
    ],
    [
      'also when the target is missing',
      [
        ['a', ['b', 'x']],
        ['b', ['x']],
      ],
      ['transitive_block_edge a x'],
    ],
    [
      'also over an issue that was blocked by hand',
      [['a', ['b', 'c']], ['b', ['c'], 'blocked'], ['c']],
      ['transitive_block_edge a c'],
    ],
    [
      'unless it is the only way into a cycle',
      [
        ['a', ['b', 'c']],
        ['b', ['c']],
        ['c', ['b']],
      ],
      [],
    ],
    [
      'unless it is part of a cycle',
      [
        ['a', ['b', 'c']],
        ['b', ['c']],
        ['c', ['a']],
      ],
      [],
    ],
    ['and not because of itself', [['a', ['a', 'b']], ['b']], []],
  ] as const)('%s', (_, rows, expected) => {
    expect(brief(memoryOf(rows))).toEqual(expected)
  })

  test('unless it is of another type', () => {
    const rows = [
      ['a', ['b', 'c']],
      ['b', ['c']],
      ['c', [], 'closed'],
    ] as const
    expect(brief(memoryOf(rows, 'waits-for'))).toEqual([])
  })
})

const id = fc.constantFrom(...'abcdefgh')
const graphs = fc.dictionary(
  id,
  fc.record({
    targets: fc.uniqueArray(id, { maxLength: 5 }),
    status: fc.constantFrom('open', 'open', 'in_progress', 'closed', 'blocked'),
  }),
  { maxKeys: 8 },
)

const memoryOfGraph = (graph: Record<string, { targets: string[]; status: string }>) =>
  memoryOf(Object.entries(graph).map(([name, { targets, status }]) => [name, targets, status]))

/** Everything an issue waits for now, directly or not. */
function awaited(memory: IssueMemory, from: string): ReadonlySet<string> {
  const found = new Set<string>()
  const ahead = [from]
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    for (const { depends_on_id } of memory.get(at)?.dependencies ?? []) {
      if (memory.get(depends_on_id)?.status === 'closed' || found.has(depends_on_id)) continue
      found.add(depends_on_id)
      ahead.push(depends_on_id)
    }
  }
  return found
}

test('compaction keeps the ready issues, the blocked issues and the order', () => {
  fc.assert(
    fc.property(graphs, graph => {
      const memory = memoryOfGraph(graph)
      const findings = compactnessFindings(memory)
      const compact = withoutBlocks(memory, findings)
      expect(keepsOrder(workOrder(memory), workOrder(compact))).toBe(true)
      for (const { id: name, status } of memory.all()) {
        if (status === 'closed') continue
        expect(awaited(compact, name)).toEqual(awaited(memory, name))
      }
      expect(compactnessFindings(compact)).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('redundant edges can be removed one by one', () => {
  fc.assert(
    fc.property(graphs, graph => {
      let memory = memoryOfGraph(graph)
      for (const finding of compactnessFindings(memory)) {
        expect(isRedundantBlock(memory, finding.issueId, finding.dependsOnId)).toBe(true)
        memory = withoutBlocks(memory, [finding])
      }
      expect(compactnessFindings(memory)).toEqual([])
    }),
  )
})

test('in an acyclic graph, an edge is redundant exactly if removing it keeps the order', () => {
  fc.assert(
    fc.property(graphs, graph => {
      const forward = Object.fromEntries(
        Object.entries(graph).map(([name, { targets }]) => [
          name,
          { status: 'open', targets: targets.filter(target => target > name) },
        ]),
      )
      const memory = memoryOfGraph(forward)
      const expected = memory
        .all()
        .flatMap(issue =>
          issue.dependencies
            .map(row => ({ issueId: issue.id, dependsOnId: row.depends_on_id }))
            .filter(edge => awaited(withoutBlocks(memory, [edge]), issue.id).has(edge.dependsOnId)),
        )
      const found = compactnessFindings(memory)
      expect(new Set(found.map(edge => `${edge.issueId} ${edge.dependsOnId}`))).toEqual(
        new Set(expected.map(edge => `${edge.issueId} ${edge.dependsOnId}`)),
      )
      for (const { issueId, dependsOnId, witnessPath = [] } of found) {
        expect([witnessPath[0], witnessPath.at(-1)]).toEqual([issueId, dependsOnId])
        expect(witnessPath.length).toBeGreaterThan(2)
      }
    }),
    { numRuns: 500 },
  )
})

test('compaction removes only blocking edges and keeps an edge from an issue to itself', () => {
  const memory = memoryOf([
    ['a', ['a', 'b']],
    ['b', [], 'closed'],
  ])
  const issue = memory.get('a') as Issue
  const related = { issue_id: 'a', depends_on_id: 'b', type: 'related', created_by: '' } as const
  memory.put({ ...issue, dependencies: [...issue.dependencies, related] })
  const rest = withoutBlocks(memory, [{ issueId: 'a', dependsOnId: 'b' }])
  expect(rest.get('a')?.dependencies.map(row => row.type)).toEqual(['blocks', 'related'])
  expect(isRedundantBlock(memory, 'a', 'a')).toBe(false)
})

test('an order that lost or gained issues is a different order', () => {
  const before = workOrder(memoryOf([['a', ['b']], ['b']]))
  expect(before).toEqual({ readyIds: ['b'], blockedIds: ['a'], activeCycle: false })
  expect(keepsOrder(before, before)).toBe(true)
  expect(keepsOrder(before, workOrder(memoryOf([['a'], ['b']])))).toBe(false)
  expect(keepsOrder(before, { ...before, blockedIds: ['b'] })).toBe(false)
  expect(keepsOrder(before, { ...before, activeCycle: true })).toBe(false)
  expect(keepsOrder({ ...before, activeCycle: true }, before)).toBe(true)
})

test('a ladder of 20,000 rungs is checked without a search from each', () => {
  const name = (at: number) => `bd-${String(at).padStart(6, '0')}`
  const rows: Row[] = Array.from({ length: 20_000 }, (_, at) => [
    name(at),
    [name(at + 1), name(at + 2)],
  ])
  const findings = compactnessFindings(memoryOf(rows))
  expect(findings).toHaveLength(19_999)
})
