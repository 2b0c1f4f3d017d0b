/** Ready issues in the order of offer: the presorted index, merged with the changes since. */
import { byRank, merged } from './issue-order.ts'

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
  readonly #index: IndexedOffers | undefined
  /** Ids whose index entry is outdated. */
  readonly #moved = new Set<string>()
  /** Every entry before this place is outdated. */
  #front = 0
  /** The number of outdated index entries looked up so far. */
  #gone = 0
  #uncounted: string[] = []

  /** Takes the offers over; they must be in order. */
  constructor(own: Offer[], index?: IndexedOffers) {
    this.#own = new SortedList(own, byRank)
    this.#index = index
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
    const index = this.#index
    if (!index) return this.#own.items.length
    for (const id of this.#uncounted) if (index.has(id)) this.#gone++
    this.#uncounted = []
    return index.count - this.#gone + this.#own.items.length
  }

  /** Best first. */
  offers(): Iterable<Offer> {
    return merged(this.#indexedOffers(), this.#own.items, byRank)
  }

  *#indexedOffers(): Iterable<Offer> {
    const index = this.#index
    if (!index) return
    while (this.#front < index.count && this.#moved.has(index.at(this.#front).id)) this.#front++
    for (let at = this.#front; at < index.count; at++) {
      const offer = index.at(at)
      if (!this.#moved.has(offer.id)) yield offer
    }
  }

  #move({ id }: Offer): void {
    if (!this.#index || this.#moved.has(id)) return
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
