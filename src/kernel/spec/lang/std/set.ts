/** `std.set`: lists as sets. Results have each item once, in the order of the first list. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { ItemSet } from '../equality.ts'
import type { Item } from '../item.ts'

type Items = readonly Item[]

/** A builtin that makes a list of distinct items from two lists. */
const makes = (means: string, make: (a: Items, b: Items, inA: ItemSet, inB: ItemSet) => Items) =>
  builtin(['list', 'list'], means, (a: Items, b: Items, run: Run) => {
    const inA = new ItemSet(run.meter, a)
    const inB = new ItemSet(run.meter, b)
    if (!run.meter.allotItems((a.length + b.length) * 4)) return null
    const made = make(a, b, inA, inB)
    const seen = new ItemSet(run.meter)
    const once = made.filter(item => seen.add(item))
    return inA.failure ?? inB.failure ?? seen.failure ?? once
  })

/** A builtin that compares two sets. */
const compares = (
  means: string,
  holds: (a: Items, b: Items, inA: ItemSet, inB: ItemSet) => boolean,
) =>
  builtin(['list', 'list'], means, (a: Items, b: Items, run: Run) => {
    const inA = new ItemSet(run.meter, a)
    const inB = new ItemSet(run.meter, b)
    if (!run.meter.visitItems((a.length + b.length) * 4)) return false
    const result = holds(a, b, inA, inB)
    return inA.failure ?? inB.failure ?? result
  })

const isWithin = (items: Items, set: ItemSet) => items.every(item => set.has(item))

export const set = {
  union: makes('The items of either list.', (a, b) => [...a, ...b]),
  intersection: makes('The items that both lists have.', (a, _, __, inB) =>
    a.filter(item => inB.has(item)),
  ),
  difference: makes('The items of the first list that the second lacks.', (a, _, __, inB) =>
    a.filter(item => !inB.has(item)),
  ),
  symmetric_difference: makes('The items of exactly one of the lists.', (a, b, inA, inB) => [
    ...a.filter(item => !inB.has(item)),
    ...b.filter(item => !inA.has(item)),
  ]),
  is_subset: compares('True if the second list has all items of the first.', (a, _, __, inB) =>
    isWithin(a, inB),
  ),
  is_superset: compares('True if the first list has all items of the second.', (_, b, inA) =>
    isWithin(b, inA),
  ),
  set_equals: compares(
    'True if both lists have the same items.',
    (a, b, inA, inB) => isWithin(a, inB) && isWithin(b, inA),
  ),
} satisfies Namespace
