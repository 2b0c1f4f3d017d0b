/** `std.set`: lists as sets. Results have each item once, in the order of the first list. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { ItemSet } from '../equality.ts'
import type { Item } from '../item.ts'

type Items = readonly Item[]

/** A builtin that makes a list of two; what it makes has each item once. */
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
  union: makes('What one of both has.', (a, b) => [...a, ...b]),
  intersection: makes('What both have.', (a, _, __, inB) => a.filter(item => inB.has(item))),
  difference: makes('What only the first has.', (a, _, __, inB) =>
    a.filter(item => !inB.has(item)),
  ),
  symmetric_difference: makes('What only one of both has.', (a, b, inA, inB) => [
    ...a.filter(item => !inB.has(item)),
    ...b.filter(item => !inA.has(item)),
  ]),
  is_subset: compares('Whether the second has all of the first.', (a, _, __, inB) =>
    isWithin(a, inB),
  ),
  is_superset: compares('Whether the first has all of the second.', (_, b, inA) =>
    isWithin(b, inA),
  ),
  set_equals: compares(
    'Whether both have the same.',
    (a, b, inA, inB) => isWithin(a, inB) && isWithin(b, inA),
  ),
} satisfies Namespace
