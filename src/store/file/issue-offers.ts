/** Offers of ready work as bytes: blocks that are read when the first offer in them is asked for. */
import type { Offer, OfferShelf } from '../../kernel/issues/ready-list.ts'

const offersPerBlock = 256

/** A flat list: to read it is one call of the native parser, and makes no object an offer. */
type Block = readonly (string | number)[]
const members = 4

export interface PrintedOffers {
  readonly bytes: Uint8Array
  /** How long each block is. */
  readonly blocks: readonly number[]
}

export function printOffers(offers: readonly Offer[]): PrintedOffers {
  const encoder = new TextEncoder()
  const blocks: Uint8Array[] = []
  for (let at = 0; at < offers.length; at += offersPerBlock) {
    const block: Block = offers
      .slice(at, at + offersPerBlock)
      .flatMap(({ id, priority, title, assignee }) => [id, priority, title, assignee])
    blocks.push(encoder.encode(JSON.stringify(block)))
  }
  return { bytes: concatenated(blocks), blocks: blocks.map(({ length }) => length) }
}

function concatenated(blocks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const block of blocks) {
    whole.set(block, at)
    at += block.length
  }
  return whole
}

const utf8 = new TextDecoder()

/** Reads them back. The bytes were found whole: their checksum held. */
export class OfferBlocks implements Pick<OfferShelf, 'count' | 'at'> {
  readonly count: number
  readonly #bytes: Uint8Array
  readonly #starts: readonly number[]
  readonly #read: Block[] = []

  constructor(count: number, { bytes, blocks }: PrintedOffers) {
    this.count = count
    this.#bytes = bytes
    let start = 0
    this.#starts = [0, ...blocks.map(length => (start += length))]
  }

  at(place: number): Offer {
    const number = Math.floor(place / offersPerBlock)
    const block = this.#read[number] ?? this.#readBlock(number)
    const from = (place % offersPerBlock) * members
    const [id, priority, title, assignee] = [from, from + 1, from + 2, from + 3]
    return {
      id: block[id] as string,
      priority: block[priority] as number,
      title: block[title] as string,
      assignee: block[assignee] as string,
    }
  }

  #readBlock(number: number): Block {
    const bytes = this.#bytes.subarray(this.#starts[number], this.#starts[number + 1])
    const block: Block = JSON.parse(utf8.decode(bytes))
    this.#read[number] = block
    return block
  }
}
