/** Orders numbers, texts by code point, booleans, and lists item by item. */
import { areEqual } from './equality.ts'
import { numberOf } from './float.ts'
import { type Item, isItems } from './item.ts'
import type { Meter } from './meter.ts'

/** `undefined` if the two values have no order. */
export function orderOf(a: Item, b: Item, meter: Meter): -1 | 0 | 1 | undefined {
  let [left, right] = [a, b]
  for (;;) {
    if (!isItems(left) || !isItems(right)) return scalarOrder(left, right, meter)
    const end: number = Math.min(left.length, right.length)
    let at = 0
    while (at < end && meter.hasTime() && areEqual(left[at] as Item, right[at] as Item, meter)) at++
    if (!meter.visitItems(at)) return 0
    if (at === end) return scalarOrder(left.length, right.length, meter)
    ;[left, right] = [left[at] as Item, right[at] as Item]
  }
}

const signOf = (difference: number) => (difference < 0 ? -1 : difference > 0 ? 1 : 0)

function scalarOrder(a: Item, b: Item, meter: Meter): -1 | 0 | 1 | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    return meter.visitText(Math.min(a.length, b.length)) ? compareText(a, b) : 0
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return signOf(Number(a) - Number(b))
  const [left, right] = [numberOf(a), numberOf(b)]
  return left === undefined || right === undefined ? undefined : signOf(left - right)
}

/** The cost of sorting, in steps. */
export const sortCost = (count: number) => (count * Math.log2(count + 1)) / 8

/** Orders text by code point. JavaScript orders by UTF-16 unit. */
export function compareText(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x !== y) return rank(x) < rank(y) ? -1 : 1
  }
  return a.length < b.length ? -1 : 1
}

/** A surrogate ranks above every single unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
