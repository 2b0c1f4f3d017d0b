/** Ready work in the order it is offered: what a shelf has in order, and what moved since. */
import { byRank } from './issue-order.ts'
import { SortedList } from './sorted-list.ts'

/** The sort key of ready work; the row is looked up on demand. */
export interface Offer {
  readonly id: string
  readonly priority: number
  readonly title: string
  readonly assignee: string
}

/** Presorted offers, read on demand, because each read costs. */
export interface OfferShelf {
  readonly count: number
  at(place: number): Offer
  has(id: string): boolean
}

export class ReadyList {
  readonly #own: SortedList<Offer>
  readonly #shelf: OfferShelf | undefined
  /** Ids whose shelf entry is outdated. */
  readonly #moved = new Set<string>()
  /** Every entry before this index is outdated. */
  #front = 0
  /** The number of outdated shelf entries looked up so far. */
  #gone = 0
  #uncounted: string[] = []

  /** Takes the offers over; they must be in order. */
  constructor(own: Offer[], shelf?: OfferShelf) {
    this.#own = new SortedList(own, byRank)
    this.#shelf = shelf
  }

  insert(offer: Offer): void {
    this.#move(offer)
    this.#own.insert(offer)
  }

  remove(offer: Offer): void {
    this.#move(offer)
    this.#own.remove(offer)
  }

  get count(): number {
    const shelf = this.#shelf
    if (!shelf) return this.#own.items.length
    for (const id of this.#uncounted) if (shelf.has(id)) this.#gone++
    this.#uncounted = []
    return shelf.count - this.#gone + this.#own.items.length
  }

  /** Best first. */
  *offers(): Iterable<Offer> {
    const own = this.#own.items
    let next = 0
    for (const shelved of this.#shelved()) {
      for (; next < own.length && byRank(own[next] as Offer, shelved) < 0; next++) {
        yield own[next] as Offer
      }
      yield shelved
    }
    for (; next < own.length; next++) yield own[next] as Offer
  }

  *#shelved(): Iterable<Offer> {
    const shelf = this.#shelf
    if (!shelf) return
    while (this.#front < shelf.count && this.#moved.has(shelf.at(this.#front).id)) this.#front++
    for (let at = this.#front; at < shelf.count; at++) {
      const offer = shelf.at(at)
      if (!this.#moved.has(offer.id)) yield offer
    }
  }

  #move({ id }: Offer): void {
    if (!this.#shelf || this.#moved.has(id)) return
    this.#moved.add(id)
    this.#uncounted.push(id)
  }
}
