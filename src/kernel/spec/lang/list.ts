/** Builds lists that may be long. If time runs out they end early and are discarded. */
import type { Item } from './item.ts'
import type { Meter } from './meter.ts'

/** Allocates the length first, because growing copies the list repeatedly. */
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
