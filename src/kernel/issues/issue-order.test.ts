import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byNaturalId, byRank, rankedList } from './issue-order.ts'

test.each([
  [
    ['bd-10', 'bd-2', 'bd-1'],
    ['bd-1', 'bd-2', 'bd-10'],
  ],
  [
    ['a10b', 'a9b', 'a10a'],
    ['a9b', 'a10a', 'a10b'],
  ],
  [
    ['bd-01', 'bd-1', 'bd-001'],
    ['bd-001', 'bd-01', 'bd-1'],
  ],
  [
    ['bd-1.2', 'bd-1', 'bd-1.10'],
    ['bd-1', 'bd-1.2', 'bd-1.10'],
  ],
  [
    ['b', 'a', 'B', '1'],
    ['1', 'B', 'a', 'b'],
  ],
  [
    ['\u{1f600}', '\uffee'],
    ['\uffee', '\u{1f600}'],
  ],
  [
    ['x123456789012345678901', 'x99999999999999999999'],
    ['x99999999999999999999', 'x123456789012345678901'],
  ],
])('%j counts as %j', (given, expected) => {
  expect(given.toSorted(byNaturalId)).toEqual(expected)
})

const id = fc.string({
  unit: fc.constantFrom('0', '1', '2', '9', 'a', '-', '~', '\u{1f600}'),
  maxLength: 6,
})

test('the order is total: antisymmetric, transitive, and only an id itself is equal to it', () => {
  fc.assert(
    fc.property(id, id, id, (a, b, c) => {
      expect(Math.sign(byNaturalId(a, b))).toBe(-Math.sign(byNaturalId(b, a)) + 0)
      expect(byNaturalId(a, b) === 0).toBe(a === b)
      if (byNaturalId(a, b) < 0 && byNaturalId(b, c) < 0) expect(byNaturalId(a, c)).toBeLessThan(0)
    }),
    { numRuns: 3000 },
  )
})

test('priority comes before the id', () => {
  const ranked = [
    { id: 'bd-1', priority: 2 },
    { id: 'bd-10', priority: 1 },
    { id: 'bd-9', priority: 1 },
  ]
  expect(ranked.toSorted(byRank).map(issue => issue.id)).toEqual(['bd-9', 'bd-10', 'bd-1'])
})

test('ranking a list gives the same order as sorting it', () => {
  const ranked = fc.record({ id, priority: fc.integer({ min: 0, max: 1 }) })
  fc.assert(
    fc.property(fc.array(ranked, { maxLength: 30 }), issues => {
      expect(rankedList(issues)).toEqual(issues.toSorted(byRank))
    }),
    { numRuns: 1000 },
  )
})
