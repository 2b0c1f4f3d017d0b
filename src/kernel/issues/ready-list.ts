/** Ready issues in the order of offer: the presorted shelf, merged with the changes since. */
import { byRank } from './issue-order.ts'

/** The sort key of ready work; the row is looked up on demand. */
export interface Offer {
  readonly id: string
  readonly priority: number
  readonly title: string
  readonly assignee: string
}

/** Presorted offers, read on demand, because each read costs. */
export interface IndexedOffers {
  readonly count: number
  at(place: number): Offer
  has(id: string): boolean
}

export class ReadyList {
  readonly #own: SortedList<Offer>
  readonly #shelf: IndexedOffers | undefined
  /** Ids whose shelf entry is outdated. */
  readonly #moved = new Set<string>()
  /** Every entry before this index is outdated. */
  #front = 0
  /** The number of outdated shelf entries looked up so far. */
  #gone = 0
  #uncounted: string[] = []

  /** Takes the offers over; they must be in order. */
  constructor(own: Offer[], shelf?: IndexedOffers) {
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

/** A sorted list with binary search. */
export class SortedList<T> {
  readonly #items: T[]
  readonly #compare: (a: T, b: T) => number

  /** Takes the items over; they must be in order. */
  constructor(items: T[], compare: (a: T, b: T) => number) {
    this.#items = items
    this.#compare = compare
  }

  get items(): readonly T[] {
    return this.#items
  }

  /** Replaces an item that compares as equal, if there is one. */
  insert(item: T): void {
    const at = this.placeOf(item)
    this.#items.splice(at, this.#holds(at, item) ? 1 : 0, item)
  }

  remove(item: T): void {
    const at = this.placeOf(item)
    if (this.#holds(at, item)) this.#items.splice(at, 1)
  }

  /** The number of items before it. */
  placeOf(item: T): number {
    let low = 0
    let high = this.#items.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.#items[middle] as T, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  #holds(at: number, item: T): boolean {
    const found = this.#items[at]
    return found !== undefined && this.#compare(found, item) === 0
  }
}
