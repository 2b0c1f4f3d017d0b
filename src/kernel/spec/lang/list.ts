/** Makes lists that may be long. Without time to go on they end early, and mean nothing. */
import type { Item } from './item.ts'
import type { Meter } from './meter.ts'

/** A list of so many items; it gets its length first, since growing copies it again and again. */
export function listOf<T extends Item>(
  count: number,
  itemAt: (at: number) => T,
  meter: Meter,
): T[] {
  const list = new Array<T>(count)
  for (let at = 0; at < count && meter.hasTime(); at++) list[at] = itemAt(at)
  return list
}

/** The items that pass, in order. */
export function itemsWhere(
  list: readonly Item[],
  passes: (item: Item, at: number) => boolean,
  meter: Meter,
): Item[] {
  const kept: Item[] = []
  for (let at = 0; at < list.length && meter.hasTime(); at++) {
    const item = list[at] as Item
    if (passes(item, at)) kept.push(item)
  }
  return kept
}
