import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Issue, readIssue } from '../issue.ts'
import { IssueMemory } from '../issue-memory.ts'
import { addDependency } from './dependency-edit.ts'
import { pathBetween, targetsOf } from './issue-graph.ts'
import { isReachable } from './reachability.ts'

const names = [...'abcdefghij']
const name = fc.constantFrom(...names)
const types = ['blocks', 'related', 'parent-child', 'discovered-from'] as const
const edge = fc.record({ to: name, type: fc.constantFrom(...types) })
/** Rows in order of arrival. A later row of an id replaces the edges of an earlier one. */
const rows = fc.array(
  fc.record({
    id: name,
    edges: fc.array(edge, { maxLength: 4 }),
    status: fc.constantFrom('open', 'closed'),
  }),
  { maxLength: 25 },
)
type Row = Parameters<typeof put>[1]

function put(
  memory: IssueMemory,
  row: { id: string; status: string; edges: { to: string; type: string }[] },
) {
  const { id, status, edges } = row
  const dependencies = edges.map(({ to, type }) => ({ issue_id: id, depends_on_id: to, type }))
  memory.put(readIssue({ id, title: id, status, dependencies }) as Issue)
}

const plainWay = (memory: IssueMemory, from: string, to: string) =>
  pathBetween(from, to, id => targetsOf(memory, id))

test('the two-sided search finds the same as a plain search', () => {
  fc.assert(
    fc.property(rows, name, name, (given: readonly Row[], from, to) => {
      const memory = new IssueMemory()
      for (const row of given) put(memory, row)
      const sources = (target: string) => names.filter(id => targetsOf(memory, id).includes(target))
      const found = isReachable(from, to, id => targetsOf(memory, id), sources)
      expect(found).toBe(plainWay(memory, from, to) !== undefined)
    }),
    { numRuns: 500 },
  )
})

test('memory gives the same answer after rows were replaced', () => {
  fc.assert(
    fc.property(rows, (given: readonly Row[]) => {
      const memory = new IssueMemory()
      for (const row of given) {
        put(memory, row)
        for (const other of names) {
          const there = plainWay(memory, row.id, other) !== undefined
          const back = plainWay(memory, other, row.id) !== undefined
          expect(memory.mayLead(row.id, other)).toBe(there)
          expect(memory.mayLead(other, row.id)).toBe(back)
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('a refused edge shows the path that a plain search finds', () => {
  fc.assert(
    fc.property(rows, name, name, (given: readonly Row[], issueId, dependsOnId) => {
      const memory = new IssueMemory()
      for (const row of given) put(memory, row)
      fc.pre(issueId !== dependsOnId && memory.has(issueId) && memory.has(dependsOnId))
      fc.pre(!targetsOf(memory, issueId).includes(dependsOnId))
      const way = plainWay(memory, dependsOnId, issueId)
      const outcome = addDependency(
        memory,
        { issueId, dependsOnId, type: 'blocks', createdBy: '' },
        0n,
      )
      expect('failureClass' in outcome ? outcome.diagnostic : undefined).toBe(
        way && `dependency cycle detected: ${[issueId, ...way].join(' -> ')}`,
      )
    }),
    { numRuns: 500 },
  )
})

test('the search follows the smaller side of the graph', () => {
  const [length, looked] = [50_000, { edges: 0 }]
  const counted = (ids: readonly string[]) => {
    looked.edges += ids.length
    return ids
  }
  const ahead = (id: string) => counted(Number(id) < length ? [String(Number(id) + 1)] : [])
  const behind = (id: string) => counted(id === 'new' ? ['newer'] : [])
  expect(isReachable('0', 'new', ahead, behind)).toBe(false)
  expect(looked.edges).toBeLessThan(10)
})
