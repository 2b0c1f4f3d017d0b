/** Deep equality. List order matters, key order does not. */
import { exactly, Float, isNumber, type SpecNumber } from './float.ts'
import { type Item, isDict, isItems } from './item.ts'
import type { Meter } from './meter.ts'
import { printItem } from './print-value.ts'
import type { Failure } from './spec-error.ts'

/** Numbers by value: 1 is equal to 1.0. */
export function areEqual(a: Item, b: Item, meter: Meter): boolean {
  return holds(a, b, meter, 'by value')
}

/** Compares the kind of numbers too: 1 and 1.0 are equal but not the same. */
export function areSame(a: Item, b: Item, meter: Meter): boolean {
  return holds(a, b, meter, 'by kind')
}

type Numbers = 'by value' | 'by kind'

function holds(a: Item, b: Item, meter: Meter, numbers: Numbers): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return holdsOfScalars(a, b, meter, numbers)
  const pending: Item[] = [a, b]
  while (pending.length > 0) {
    const right = pending.pop() as Item
    const left = pending.pop() as Item
    if (!meter.hasTime()) return false
    if (left === right) continue
    if (isItems(left) && isItems(right)) {
      if (left.length !== right.length || !meter.visitItems(left.length)) return false
      for (let at = 0; at < left.length; at++) {
        const [one, other] = [left[at] as Item, right[at] as Item]
        if (!meter.hasTime()) return false
        // Only containers are queued: lists of numbers can be long.
        if (typeof one === 'object' && typeof other === 'object') pending.push(one, other)
        else if (!holdsOfScalars(one, other, meter, numbers)) return false
      }
    } else if (isDict(left) && isDict(right)) {
      if (left.size !== right.size || !meter.visitItems(left.size)) return false
      for (const [key, value] of left) {
        const other = right.get(key)
        if (other === undefined || !meter.hasTime()) return false
        pending.push(value, other)
      }
    } else if (!holdsOfScalars(left, right, meter, numbers)) return false
  }
  return true
}

function holdsOfScalars(a: Item, b: Item, meter: Meter, numbers: Numbers): boolean {
  if (isNumber(a) && isNumber(b)) return holdsOfNumbers(a, b, numbers)
  // Texts of equal length may share a long prefix.
  const alike = typeof a === 'string' && typeof b === 'string' && a.length === b.length
  return (!alike || meter.visitText(a.length)) && a === b
}

function holdsOfNumbers(a: SpecNumber, b: SpecNumber, numbers: Numbers): boolean {
  if (a === b) return true
  const [left, right] = [exactly(a), exactly(b)]
  // An integer beyond 2^53 and a float can be equal without being identical.
  const areOfEqualValue = left <= right && left >= right
  const areOfOneKind = a instanceof Float && b instanceof Float
  return areOfEqualValue && (areOfOneKind || numbers === 'by value')
}

/** Size limit of a JavaScript Set. */
const setSizeMax = 2 ** 24

/** A set of distinct values with constant-time lookup. */
export class ItemSet {
  readonly #scalars = new Set<Item>()
  readonly #printed = new Set<string>()
  readonly #meter: Meter
  /** Set if an item could not be looked up. */
  failure: Failure | undefined

  constructor(meter: Meter, items: readonly Item[] = []) {
    this.#meter = meter
    if (!meter.allotItems(items.length)) return
    for (const item of items) if (meter.over === undefined) this.add(item)
  }

  /** True if the item is new. */
  add(item: Item): boolean {
    if (!this.#meter.hasTime() || this.#isFull()) return false
    if (typeof item !== 'object' || item === null) return isNewIn(this.#scalars, item)
    return isNewIn(this.#printed, this.#print(item))
  }

  has(item: Item): boolean {
    if (!this.#meter.hasTime()) return false
    if (typeof item !== 'object' || item === null) return this.#scalars.has(item)
    return this.#printed.has(this.#print(item))
  }

  #isFull(): boolean {
    const size = Math.max(this.#scalars.size, this.#printed.size)
    return size >= setSizeMax && !this.#meter.exceed('size')
  }

  #print(item: Item): string {
    const text = printItem(item, this.#meter, 'sorted')
    if (typeof text === 'string') return text
    this.failure ??= text
    return ''
  }
}

function isNewIn<T>(set: Set<T>, one: T): boolean {
  const before = set.size
  return set.add(one).size > before
}
