/** Orders numbers, texts by code point, booleans, and lists item by item. */
import { byCodePoint } from '../../canonical.ts'
import { areEqual } from './equality.ts'
import { exactly, isNumber } from './float.ts'
import type { Integer } from './integer.ts'
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

const signOf = (a: Integer, b: Integer) => (a < b ? -1 : a > b ? 1 : 0)

function scalarOrder(a: Item, b: Item, meter: Meter): -1 | 0 | 1 | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    return meter.visitText(Math.min(a.length, b.length)) ? signOf(byCodePoint(a, b), 0) : 0
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return signOf(Number(a), Number(b))
  return isNumber(a) && isNumber(b) ? signOf(exactly(a), exactly(b)) : undefined
}

/** The cost of sorting, in steps. */
export const sortCost = (count: number) => (count * Math.log2(count + 1)) / 8
