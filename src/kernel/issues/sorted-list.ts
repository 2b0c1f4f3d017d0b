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

  /** In the place of one that compares as equal, if there is one. */
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
