/** When two values are the same. */
import type { Meter } from './meter.ts'
import { compare } from './numbers.ts'
import { Float, Hash, Pair, Sym, type Value, Vector } from './value.ts'

/** `eqv?`: the same symbol, string, number of the same exactness, or the same thing. */
export function isSame(a: Value, b: Value): boolean {
  if (a === b) return true
  if (a instanceof Sym) return b instanceof Sym && a.name === b.name
  if (a instanceof Float) return b instanceof Float && compare(a, b) === 0
  return false
}

/**
 * `equal?`: the same structure. It pays for each pair of parts, because values that share parts can
 * be compared for ever. `false` if the budget ends.
 */
export function isEqual(a: Value, b: Value, meter: Meter): boolean {
  const pending: [Value, Value][] = [[a, b]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [left, right] = next
    if (isSame(left, right)) continue
    if (!meter.visit(1)) return false
    if (left instanceof Pair && right instanceof Pair) {
      pending.push([left.cdr, right.cdr], [left.car, right.car])
    } else if (left instanceof Vector && right instanceof Vector) {
      if (left.items.length !== right.items.length) return false
      if (!meter.visit(left.items.length)) return false
      for (const [at, item] of left.items.entries()) pending.push([item, right.items[at] as Value])
    } else if (left instanceof Hash && right instanceof Hash) {
      if (left.entries.size !== right.entries.size) return false
      if (!meter.visit(left.entries.size)) return false
      for (const [key, value] of left.entries) {
        const other = right.entries.get(key)
        if (other === undefined) return false
        pending.push([value, other])
      }
    } else {
      return false
    }
  }
  return true
}
