import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byRank } from './issue-order.ts'
import { type Offer, ReadyList } from './ready-list.ts'

const offerOf = (number: number, priority: number): Offer => ({
  id: `bd-${number}`,
  priority,
  title: `issue ${number}`,
  assignee: '',
})

const numbers = fc.integer({ min: 1, max: 30 })
const offers = fc.uniqueArray(fc.tuple(numbers, fc.integer({ min: 0, max: 2 })), {
  selector: ([number]) => number,
  maxLength: 30,
})
const moves = fc.array(
  fc.record({ number: numbers, to: fc.option(fc.integer({ min: 0, max: 2 })) }),
  { maxLength: 30 },
)

describe('ready work over an index', () => {
  test('is offered in order after any moves', () => {
    fc.assert(
      fc.property(offers, moves, fc.integer({ min: 0, max: 30 }), (given, steps, asked) => {
        const indexed = given.map(([number, priority]) => offerOf(number, priority)).sort(byRank)
        const list = new ReadyList([], {
          count: indexed.length,
          at: place => indexed[place] as Offer,
          has: id => indexed.some(offer => offer.id === id),
        })
        const now = new Map(indexed.map(offer => [offer.id, offer]))
        steps.forEach(({ number, to }, at) => {
          const before = now.get(`bd-${number}`)
          if (before) list.remove(before)
          now.delete(`bd-${number}`)
          if (to !== null) {
            list.insert(offerOf(number, to))
            now.set(`bd-${number}`, offerOf(number, to))
          }
          if (at !== asked) return
          expect(list.count).toBe(now.size)
          expect([...list.offers()]).toEqual([...now.values()].sort(byRank))
        })
        expect(list.count).toBe(now.size)
        expect([...list.offers()]).toEqual([...now.values()].sort(byRank))
      }),
      { numRuns: 500 },
    )
  })

  test('reads no more of the index than needed', () => {
    let read = 0
    const at = (place: number) => {
      read++
      return offerOf(place + 1, 2)
    }
    const list = new ReadyList([], { count: 50_000, at, has: () => true })
    const [first] = list.offers()
    expect(first?.id).toBe('bd-1')
    expect(read).toBeLessThan(10)
  })
})
