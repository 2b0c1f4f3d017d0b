/** `std.collection`: lists, and the length of texts, lists and mappings. */
import { builtin, higherOrder, type Namespace, type Run } from '../builtin.ts'
import { areEqual, areSame, ItemSet } from '../equality.ts'
import type { Integer } from '../integer.ts'
import {
  type Callable,
  type Item,
  isCallable,
  isDict,
  isItems,
  isTruthy,
  itemsWhere,
  listOf,
} from '../item.ts'
import { orderOf, sortCost } from '../order.ts'
import { printText } from '../print-value.ts'
import { Failure, schemaFailure } from '../spec-error.ts'
import { countPoints } from '../text.ts'
import { isWithin } from './string.ts'
import { type JsonType, jsonTypeOf } from './type.ts'

function lengthOf(name: string, item: Item, run: Run): number | Failure {
  if (isItems(item)) return item.length
  if (isDict(item)) return item.size
  if (typeof item === 'string') return run.meter.visitText(item.length) ? countPoints(item) : 0
  return schemaFailure(`spec_lang ${name} expects list/dict/string`)
}

/** A part of a list, charged to the budget. */
function part(list: readonly Item[], start: Integer, end: Integer, run: Run): Item {
  const from = Math.min(Math.max(0, Number(start)), list.length)
  const to = Math.min(Math.max(from, Number(end)), list.length)
  return run.meter.allotItems(to - from) ? list.slice(from, to) : null
}

/** A negative index counts from the end. */
const fromEnd = (at: Integer, length: number) => (at < 0 ? Math.max(0, Number(at) + length) : at)

function flattened(list: readonly Item[], run: Run): Item {
  const flat: Item[] = []
  const pending: { readonly list: readonly Item[]; at: number }[] = [{ list, at: 0 }]
  for (let open = pending.at(-1); open !== undefined; open = pending.at(-1)) {
    const item = open.list[open.at++]
    if (item === undefined) pending.pop()
    else if (!isItems(item)) {
      if (!run.meter.allotItems(1)) return null
      flat.push(item)
    } else {
      if (!run.meter.visitItems(1)) return null
      pending.push({ list: item, at: 0 })
    }
  }
  return flat
}

/** The items whose key is new, in order. */
function unique(list: readonly Item[], keys: readonly Item[], run: Run): Item | Failure {
  if (!run.meter.allotItems(list.length)) return null
  const seen = new ItemSet(run.meter)
  const isNew = (_: Item, at: number) => run.meter.spend(1 / 4) && seen.add(keys[at] as Item)
  const kept = itemsWhere(list, isNew, run.meter)
  return seen.failure ?? kept
}

const sortable: readonly JsonType[] = ['number', 'string', 'bool']

function sorted(list: readonly Item[], run: Run): Item | Failure {
  const kinds = new Set<JsonType | undefined>()
  for (const item of list) if (run.meter.hasTime()) kinds.add(jsonTypeOf(item))
  if (![...kinds].every(kind => kind !== undefined && sortable.includes(kind))) {
    return schemaFailure('spec_lang sort expects scalar list values')
  }
  if (kinds.size > 1) {
    return schemaFailure('spec_lang sort expects homogeneous list element types')
  }
  return sortedBy('sort', list, list, run)
}

/** Stable: items with equal keys keep their order. */
function sortedBy(
  name: string,
  list: readonly Item[],
  keys: readonly Item[],
  run: Run,
): Item | Failure {
  if (!run.meter.allotItems(list.length) || !run.meter.spend(sortCost(list.length))) return null
  let unordered = false
  const places = listOf(list.length, at => at, run.meter)
  places.sort((a, b) => {
    // A sort cannot be interrupted, but treating all items as equal ends it quickly.
    if (unordered || run.meter.over !== undefined || !run.meter.hasTime()) return 0
    const order = orderOf(keys[a] as Item, keys[b] as Item, run.meter)
    unordered = order === undefined
    return order ?? 0
  })
  if (unordered) return schemaFailure(`spec_lang ${name} expects keys of one orderable type`)
  return listOf(list.length, at => list[places[at] as number] as Item, run.meter)
}

/** True if an item has the wanted truth value. */
const hasTruth = (list: readonly Item[], wanted: boolean, { meter }: Run) =>
  list.some(item => !meter.hasTime() || isTruthy(item) === wanted)

/** True if the list has all, or any, of the wanted items. */
function hasWanted(
  list: readonly Item[],
  wanted: readonly Item[],
  all: boolean,
  run: Run,
): boolean | Failure {
  const known = new ItemSet(run.meter, list)
  if (!run.meter.visitItems(wanted.length * 4)) return false
  const found = all ? wanted.every(item => known.has(item)) : wanted.some(item => known.has(item))
  return known.failure ?? found
}

/** The results of a function for each item, in order. */
function* each(callee: Callable, list: readonly Item[], run: Run) {
  const results: Item[] = []
  if (!run.meter.allotItems(list.length)) return results
  for (const item of list) results.push(yield { callee, given: [item] })
  return results
}

export const collection = {
  len: builtin(['any'], 'The number of characters, items or keys.', (item, run) =>
    lengthOf('len', item, run),
  ),
  count: builtin(['any'], 'The same as `len`.', (item, run) => lengthOf('count', item, run)),
  is_empty: builtin(['any'], 'True if a text, list or mapping is empty.', (item, run) => {
    const length = typeof item === 'string' ? item.length : lengthOf('is_empty', item, run)
    return length instanceof Failure ? length : length === 0
  }),
  first: builtin(['list'], 'The first item; null if the list is empty.', list => list[0] ?? null),
  last: builtin(['list'], 'The last item; null if the list is empty.', list => list.at(-1) ?? null),
  rest: builtin(['list'], 'All but the first item.', (list, run) =>
    part(list, 1, list.length, run),
  ),
  nth: builtin(
    ['list', 'integer'],
    '(list, index) The item at the index, counted from 0; null if out of range.',
    (list, at) => list[Number(at)] ?? null,
  ),
  take: builtin(['integer', 'list'], '(count, list) The first count items.', (count, list, run) =>
    part(list, 0, count, run),
  ),
  drop: builtin(
    ['integer', 'list'],
    '(count, list) The items after the first count items.',
    (count, list, run) => part(list, count, list.length, run),
  ),
  slice: builtin(
    ['integer', 'integer', 'list'],
    '(start, end, list) The items from start to end, without end. Negative numbers count from the end.',
    (start, end, list, run) =>
      part(list, fromEnd(start, list.length), fromEnd(end, list.length), run),
  ),
  append: builtin(
    ['any', 'list'],
    '(item, list) The list with the item added at the end.',
    (item, list, run) => (run.meter.allotItems(list.length + 1) ? list.concat([item]) : null),
  ),
  prepend: builtin(
    ['any', 'list'],
    '(item, list) The list with the item added at the start.',
    (item, list, run) => (run.meter.allotItems(list.length + 1) ? [item].concat(list) : null),
  ),
  concat: builtin(['list', 'list'], 'The items of both lists, in order.', (a, b, run) =>
    run.meter.allotItems(a.length + b.length) ? a.concat(b) : null,
  ),
  reverse: builtin(['list'], 'The list in reverse order.', (list, run) =>
    run.meter.allotItems(list.length) ? list.toReversed() : null,
  ),
  zip: builtin(
    ['list', 'list'],
    'Pairs of the items at the same index, up to the shorter length.',
    (a, b, run) => {
      const count = Math.min(a.length, b.length)
      if (!run.meter.allotItems(count * 3)) return null
      return listOf(count, at => [a[at] as Item, b[at] as Item], run.meter)
    },
  ),
  flatten: builtin(['list'], 'The items of nested lists, at any depth, as one list.', flattened),
  repeat: builtin(
    ['any', 'integer'],
    '(value, count) A list that repeats the value count times.',
    (value, count, run) => {
      if (count < 0) return schemaFailure('spec_lang repeat expects non-negative count')
      const length = Number(count)
      return run.meter.allotItems(length) ? listOf(length, () => value, run.meter) : null
    },
  ),
  distinct: builtin(
    ['list'],
    'The list without repeated items. The first of equal items stays.',
    (list, run) => unique(list, list, run),
  ),
  sort: builtin(
    ['list'],
    'The list in ascending order. The items must be all numbers, all texts or all booleans.',
    (list, run) => (run.meter.visitItems(list.length) ? sorted(list, run) : null),
  ),
  any: builtin(
    ['list'],
    'True if at least one item is truthy.',
    (list, run) => run.meter.visitItems(list.length) && hasTruth(list, true, run),
  ),
  all: builtin(
    ['list'],
    'True if all items are truthy.',
    (list, run) => run.meter.visitItems(list.length) && !hasTruth(list, false, run),
  ),
  none: builtin(
    ['list'],
    'True if no item is truthy.',
    (list, run) => run.meter.visitItems(list.length) && !hasTruth(list, true, run),
  ),
  in: builtin(
    ['any', 'any'],
    '(member, container) True if a list has the item, a mapping the key, or a text the part.',
    (member, container, run) => {
      if (isItems(container)) return hasItem(container, member, areEqual, run)
      if (!isDict(container) && typeof container !== 'string') {
        return schemaFailure('spec_lang in expects list/dict/string container')
      }
      const text = printText(member, run.meter)
      if (text instanceof Failure) return text
      return isDict(container) ? container.has(text) : isWithin(container, text, run)
    },
  ),
  includes: builtin(
    ['list', 'any'],
    '(list, value) True if an item equals the value.',
    (list, value, run) => hasItem(list, value, areSame, run),
  ),
  contains_all: builtin(
    ['list', 'list'],
    '(list, wanted) True if the list has all wanted items.',
    (list, wanted, run) => hasWanted(list, wanted, true, run),
  ),
  contains_any: builtin(
    ['list', 'list'],
    '(list, wanted) True if the list has at least one wanted item.',
    (list, wanted, run) => hasWanted(list, wanted, false, run),
  ),
  map: higherOrder(['function', 'list'], '(fn, list) The result of fn for each item.', each),
  filter: higherOrder(
    ['function', 'list'],
    '(fn, list) The items for which fn is truthy.',
    function* (callee, list, run) {
      const verdicts = yield* each(callee, list, run)
      return itemsWhere(list, (_, at) => isTruthy(verdicts[at] as Item), run.meter)
    },
  ),
  reject: higherOrder(
    ['function', 'list'],
    '(fn, list) The items for which fn is falsy.',
    function* (callee, list, run) {
      const verdicts = yield* each(callee, list, run)
      return itemsWhere(list, (_, at) => !isTruthy(verdicts[at] as Item), run.meter)
    },
  ),
  find: higherOrder(
    ['function', 'list'],
    '(fn, list) The first item for which fn is truthy; null if there is none.',
    function* (callee, list) {
      for (const item of list) if (isTruthy(yield { callee, given: [item] })) return item
      return null
    },
  ),
  partition: higherOrder(
    ['function', 'list'],
    '(fn, list) Two lists: the items for which fn is truthy, and the other items.',
    function* (callee, list, run) {
      const verdicts = yield* each(callee, list, run)
      const passed = (_: Item, at: number) => isTruthy(verdicts[at] as Item)
      const failed = (item: Item, at: number) => !passed(item, at)
      return [itemsWhere(list, passed, run.meter), itemsWhere(list, failed, run.meter)]
    },
  ),
  group_by: higherOrder(
    ['function', 'list'],
    '(fn, list) A mapping from each result of fn, as text, to the items with this result.',
    function* (callee, list, run) {
      const groups = new Map<string, Item[]>()
      for (const item of list) {
        const key = printText(yield { callee, given: [item] }, run.meter)
        if (key instanceof Failure) return key
        if (!run.meter.allotItems(1)) return null
        const group = groups.get(key)
        if (group) group.push(item)
        else groups.set(key, [item])
      }
      return groups
    },
  ),
  uniq_by: higherOrder(
    ['function', 'list'],
    '(fn, list) The list without items for which fn repeats an earlier result.',
    function* (callee, list, run) {
      return unique(list, yield* each(callee, list, run), run)
    },
  ),
  reduce: higherOrder(
    ['function', 'any', 'list'],
    '(fn, start, list) Calls fn(result, item) for each item, beginning with start, and returns the last result.',
    function* (callee, start, list) {
      let result = start
      for (const item of list) result = yield { callee, given: [result, item] }
      return result
    },
  ),
  sort_by: higherOrder(
    ['list', 'any'],
    '(list, key) The list sorted by a function, or by the text of the member with this key.',
    function* (list, key, run) {
      if (isCallable(key)) {
        return sortedBy('sort_by', list, yield* each(key, list, run), run)
      }
      if (typeof key !== 'string') {
        return schemaFailure('spec_lang sort_by expects a key name or a function')
      }
      const keys: string[] = []
      if (!run.meter.allotItems(list.length)) return null
      for (const item of list) {
        if (!run.meter.hasTime()) return null
        if (!isDict(item)) return schemaFailure('spec_lang sort_by expects a list of dicts')
        const text = printText(item.get(key) ?? null, run.meter)
        if (text instanceof Failure) return text
        keys.push(text)
      }
      return sortedBy('sort_by', list, keys, run)
    },
  ),
  zip_with: higherOrder(
    ['function', 'list', 'list'],
    '(fn, list, list) The results of fn for the items at the same index.',
    function* (callee, a, b, run) {
      const results: Item[] = []
      const count = Math.min(a.length, b.length)
      if (!run.meter.allotItems(count)) return results
      for (let at = 0; at < count; at++) {
        results.push(yield { callee, given: [a[at] as Item, b[at] as Item] })
      }
      return results
    },
  ),
} satisfies Namespace

function hasItem(
  list: readonly Item[],
  value: Item,
  equality: typeof areEqual,
  { meter }: Run,
): boolean {
  if (!meter.visitItems(list.length)) return false
  return list.some(item => !meter.hasTime() || equality(item, value, meter))
}
