import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Offer } from '../../kernel/issues/ready-list.ts'
import { OfferBlocks, printOffers } from './issue-offers.ts'

const offerAt = (at: number): Offer => ({
  id: `bd-${at}`,
  priority: at % 5,
  title: at % 3 === 0 ? `ä "${at}"` : 'plain',
  assignee: at % 7 === 0 ? 'ada' : '',
})

const offersOf = (count: number) => Array.from({ length: count }, (_, at) => offerAt(at))

describe('blocks of offers', () => {
  test.each([0, 1, 255, 256, 257, 512, 1_000])('gives back each of %i', count => {
    const offers = offersOf(count)
    const blocks = new OfferBlocks(count, printOffers(offers))
    expect(offers.map((_, at) => blocks.at(at))).toEqual(offers)
  })

  test('gives back any of them first', () => {
    const printed = printOffers(offersOf(600))
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 599 }), at => {
        expect(new OfferBlocks(600, printed).at(at)).toEqual(offerAt(at))
      }),
    )
  })
})
