/** Checks the result of an evaluation: JSON within the size budget. */
import { type Item, isCallable, isScalarItem } from './item.ts'
import type { Meter } from './meter.ts'
import { budgetExceeded, type Failure, schemaFailure } from './spec-error.ts'
import type { SpecValue } from './value.ts'

/** A container whose items are being counted. */
interface Open {
  readonly container: object
  readonly items: Iterator<Item>
  size: number
}

/**
 * Counts each container as often as it occurs but visits it once: shared lists can expand
 * exponentially.
 */
export function resultOf(item: Item, sizeMax: number, meter: Meter): SpecValue | Failure {
  if (isScalarItem(item)) return item
  const sizes = new Map<object, number>()
  const pending: Open[] = []
  let failure = enter(item, sizes, pending)
  for (let open = pending.at(-1); open !== undefined && !failure; open = pending.at(-1)) {
    const { done, value } = open.items.next()
    failure = done ? leave(open, sizes, pending) : enter(value, sizes, pending)
    if (open.size > sizeMax) failure ??= budgetExceeded('size')
    if (!meter.hasTime()) failure ??= meter.over
  }
  return failure ?? (item as SpecValue)
}

const isFunction = schemaFailure(
  'spec_lang result must be a JSON value, got a function; call it with all its arguments',
)

/** Counts scalars and opens containers. */
function enter(
  item: Item,
  sizes: ReadonlyMap<object, number>,
  pending: Open[],
): Failure | undefined {
  const outer = pending.at(-1)
  if (isScalarItem(item)) {
    if (outer !== undefined) outer.size++
    return undefined
  }
  if (isCallable(item)) return isFunction
  const known = sizes.get(item)
  if (known === undefined) pending.push({ container: item, items: item.values(), size: 1 })
  else if (outer !== undefined) outer.size += known
  return undefined
}

function leave(open: Open, sizes: Map<object, number>, pending: Open[]): undefined {
  pending.pop()
  sizes.set(open.container, open.size)
  const outer = pending.at(-1)
  if (outer !== undefined) outer.size += open.size
}
