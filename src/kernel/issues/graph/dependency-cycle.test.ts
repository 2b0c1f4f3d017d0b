import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DependencyType } from '../../../wire/issue/issue.ts'
import { type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isActive } from '../issue-status.ts'
import { activeIntegrity, graphIntegrity } from './dependency-cycle.ts'
import type { GraphScope } from './issue-graph.ts'

type Row = readonly [id: string, targets?: readonly string[], status?: string]

function memoryOf(rows: readonly Row[], type: DependencyType = 'blocks'): IssueMemory {
  const memory = new IssueMemory()
  for (const [id, targets = [], status = 'open'] of rows) {
    const dependencies = targets.map(target => ({ issue_id: id, depends_on_id: target, type }))
    memory.put(readIssue({ id, title: id, status, dependencies }) as Issue)
  }
  return memory
}

describe('a cycle is found', () => {
  test.each([
    ['nowhere in a chain', [['a', ['b']], ['b', ['c']], ['c']], null],
    [
      'between two',
      [
        ['a', ['b']],
        ['b', ['a']],
      ],
      ['a', 'b', 'a'],
    ],
    ['at an issue that depends on itself', [['a'], ['b', ['b']]], ['b', 'b']],
    [
      'behind its way in',
      [
        ['a', ['c']],
        ['b', ['c']],
        ['c', ['b']],
      ],
      ['b', 'c', 'b'],
    ],
    [
      'by the first edge that leads back, not by the shortest way',
      [
        ['a', ['b', 'd']],
        ['b', ['c']],
        ['c', ['a']],
        ['d', ['a']],
      ],
      ['a', 'b', 'c', 'a'],
    ],
    [
      'never through an issue that is missing',
      [
        ['a', ['gone']],
        ['b', ['a']],
      ],
      null,
    ],
  ] as const)('%s', (_, rows, cyclePath) => {
    expect(graphIntegrity(memoryOf(rows), 'full')).toEqual({
      hasCycle: cyclePath !== null,
      cyclePath,
    })
  })

  test('along edges that block nothing, as well', () => {
    const memory = memoryOf(
      [
        ['a', ['b']],
        ['b', ['a']],
      ],
      'related',
    )
    expect(graphIntegrity(memory, 'active').cyclePath).toEqual(['a', 'b', 'a'])
  })
})

describe('the active scope', () => {
  const statuses = [
    ['open', true],
    [' In_Progress ', true],
    ['OPEN', true],
    ['blocked', false],
    ['closed', false],
    ['someday', false],
  ] as const

  test.each(statuses)('%j is inside: %j', (status, hasCycle) => {
    const memory = memoryOf([
      ['a', ['b'], status],
      ['b', ['a']],
    ])
    expect(graphIntegrity(memory, 'active').hasCycle).toBe(hasCycle)
    expect(graphIntegrity(memory, 'full').hasCycle).toBe(true)
  })

  test('excludes cycles of closed issues', () => {
    const memory = memoryOf([['bd-a', ['bd-b'], 'closed'], ['bd-b', ['bd-a'], 'closed'], ['bd-c']])
    expect(graphIntegrity(memory, 'active')).toEqual({ hasCycle: false, cyclePath: null })
    expect(graphIntegrity(memory, 'full').cyclePath).toEqual(['bd-a', 'bd-b', 'bd-a'])
  })
})

test('a chain and a ring of 50,000 issues are searched without a deep stack', () => {
  const length = 50_000
  const name = (at: number) => `bd-${String(at).padStart(6, '0')}`
  const rows: Row[] = Array.from({ length }, (_, at) => [name(at), [name(at + 1)]])
  const chain = memoryOf(rows)
  expect(graphIntegrity(chain, 'active').hasCycle).toBe(false)
  const ring = memoryOf([...rows, [name(length), [name(0)]]])
  expect(graphIntegrity(ring, 'active').cyclePath).toHaveLength(length + 2)
})

/** The contract without optimization: for every edge in order, searches for a path back. */
function slowCycle(memory: IssueMemory, scope: GraphScope): readonly string[] | null {
  const inScope = (id: string) => {
    const issue = memory.get(id)
    return issue !== undefined && (scope === 'full' || isActive(issue))
  }
  const targetsOf = (id: string) =>
    (memory.get(id)?.dependencies.map(row => row.depends_on_id) ?? []).filter(inScope).sort()
  for (const { id } of memory.all()) {
    for (const target of inScope(id) ? targetsOf(id) : []) {
      const ways = [[target]]
      const seen = new Set([target])
      for (const way of ways) {
        const end = way.at(-1) as string
        if (end === id) return [id, ...way]
        for (const next of targetsOf(end)) {
          if (seen.has(next)) continue
          seen.add(next)
          ways.push([...way, next])
        }
      }
    }
  }
  return null
}

test('the fast search finds the same cycle as the slow one', () => {
  const id = fc.constantFrom(...'abcdefgh')
  const rows = fc.dictionary(
    id,
    fc.record({
      targets: fc.array(id, { maxLength: 4 }),
      status: fc.constantFrom('open', 'in_progress', 'closed', 'blocked'),
    }),
    { maxKeys: 8 },
  )
  fc.assert(
    fc.property(rows, fc.constantFrom('active', 'full'), (graph, scope) => {
      const memory = memoryOf(
        Object.entries(graph).map(([name, { targets, status }]) => [name, targets, status]),
      )
      expect(graphIntegrity(memory, scope as GraphScope).cyclePath).toEqual(
        slowCycle(memory, scope as GraphScope),
      )
    }),
    { numRuns: 500 },
  )
})

test('after any change, active issues get the answer of a new search', () => {
  const ids = ['a', 'b', 'c', 'd']
  const row = fc.record({
    id: fc.constantFrom(...ids),
    status: fc.constantFrom('open', 'in_progress', 'Open', 'closed', 'blocked'),
    // The same list again is how a change keeps its edges.
    edges: fc.option(fc.uniqueArray(fc.constantFrom(...ids, 'gone'), { maxLength: 2 })),
  })
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), rows => {
      const memory = new IssueMemory()
      for (const { id, status, edges } of rows) {
        const before = memory.get(id)
        const dependencies = edges?.map(depends_on_id => ({
          issue_id: id,
          depends_on_id,
          type: 'blocks',
        }))
        const fresh = readIssue({
          id,
          title: id,
          status,
          dependencies: dependencies ?? [],
        }) as Issue
        memory.put(before && !edges ? { ...before, status } : fresh)
        expect(activeIntegrity(memory)).toEqual(graphIntegrity(memory, 'active'))
      }
    }),
    { numRuns: 500 },
  )
})
