/** Runtime values of an expression: JSON and functions. */
import type { Builtin } from './builtin.ts'
import { Float, type SpecNumber } from './float.ts'
import type { Code } from './instruction.ts'
import type { Meter } from './meter.ts'

export type Item =
  | null
  | boolean
  | number
  | bigint
  | Float
  | string
  | readonly Item[]
  | ReadonlyMap<string, Item>
  | Callable

export type Callable = Closure | BuiltinFunction

/** Values of one call's parameters or one `let`; `undefined` until computed. */
export interface Environment {
  readonly slots: (Item | undefined)[]
  readonly outer: Environment | undefined
}

export class Closure {
  readonly code: Code
  readonly count: number
  readonly environment: Environment | undefined

  constructor(code: Code, count: number, environment: Environment | undefined) {
    this.code = code
    this.count = count
    this.environment = environment
  }
}

/** A builtin as a value, with the arguments given so far. */
export class BuiltinFunction {
  readonly builtin: Builtin
  readonly given: readonly Item[]

  constructor(builtin: Builtin, given: readonly Item[]) {
    this.builtin = builtin
    this.given = given
  }
}

export function isCallable(item: Item): item is Callable {
  return item instanceof Closure || item instanceof BuiltinFunction
}

export function isItems(item: Item | undefined): item is readonly Item[] {
  return Array.isArray(item)
}

export function isDict(item: Item | undefined): item is ReadonlyMap<string, Item> {
  return item instanceof Map
}

export type ScalarItem = null | boolean | SpecNumber | string

/** True if the value is not a container. */
export function isScalarItem(item: Item): item is ScalarItem {
  return typeof item !== 'object' || item === null || item instanceof Float
}

/** Falsy values: null, false, 0 and empty values. The text `0` is truthy. */
export function isTruthy(item: Item): boolean {
  if (typeof item !== 'object') return Boolean(item)
  if (isItems(item)) return item.length > 0
  if (isDict(item)) return item.size > 0
  return item instanceof Float ? item.value !== 0 : item !== null
}

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
