import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type IssueGraph, pathBetween } from './issue-graph.ts'
import { WaitGraph } from './wait-graph.ts'

const id = fc.constantFrom(...'abcdefgh')

const graphs = fc
  .dictionary(id, fc.uniqueArray(id, { maxLength: 5 }), { maxKeys: 8 })
  .map(
    (edges): IssueGraph =>
      new Map(Object.entries(edges).map(([source, targets]) => [source, targets.toSorted()])),
  )

/** The same by one search for each edge. */
function plainly(graph: IssueGraph, source: string) {
  const targetsOf = (of: string) => graph.get(of) ?? []
  const leads = (from: string, to: string) => pathBetween(from, to, targetsOf) !== undefined
  const ways = targetsOf(source).flatMap(target => {
    const starts = targetsOf(source).filter(
      start => !leads(start, source) && leads(start, target) && !leads(target, start),
    )
    const way = pathBetween(source, target, at => (at === source ? starts : targetsOf(at)))
    return way && target !== source ? [[target, way] as const] : []
  })
  return Object.fromEntries(ways)
}

test('one search finds the ways that a search for each edge finds [memory.6.graph-check]', () => {
  fc.assert(
    fc.property(graphs, graph => {
      const waits = new WaitGraph(graph)
      for (const source of graph.keys()) {
        expect(Object.fromEntries(waits.otherWays(source))).toEqual(plainly(graph, source))
      }
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['none waits for another', () => []],
  ['each waits for the one before it', (at: number) => (at > 0 ? [nameOf(at - 1)] : [])],
  ['every second waits for the one before it', (at: number) => (at % 2 ? [nameOf(at - 1)] : [])],
  ['each waits for the same two', () => ['one', 'other']],
])(
  'a search over 10,000 targets visits none more than twice, where %s [memory.6.graph-check]',
  (_, waitsFor) => {
    const names = Array.from({ length: 10_000 }, (_, at) => nameOf(at))
    const graph = new CountedGraph([
      // The search has to look for the leaf to its end.
      ['source', [...names, 'leaf']],
      ...names.map((name, at) => [name, waitsFor(at)] as const),
      ...['leaf', 'one', 'other'].map(name => [name, []] as const),
    ])
    const waits = new WaitGraph(graph)
    graph.asked = 0
    waits.otherWays('source')
    expect(graph.asked).toBeLessThanOrEqual(2 * graph.size)
  },
)

const nameOf = (at: number) => `bd-${String(at).padStart(5, '0')}`

class CountedGraph extends Map<string, readonly string[]> {
  asked = 0

  override get(name: string): readonly string[] | undefined {
    this.asked++
    return super.get(name)
  }
}
