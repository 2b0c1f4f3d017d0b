/** `std.object`: mappings. Keys are text, in the order they were first set. */
import { builtin, higherOrder, type Namespace, type Run } from '../builtin.ts'
import { areSame } from '../equality.ts'
import { isInteger } from '../integer.ts'
import { type Item, isCallable, isDict, isItems, isTruthy, listOf } from '../item.ts'
import { printText } from '../print-value.ts'
import { Failure, schemaFailure } from '../spec-error.ts'

type Dict = ReadonlyMap<string, Item>

/** Nesting limit of a deep merge, because it recurses. */
const mergeDepthMax = 1000

/** The value at the path; `undefined` if there is none. */
function follow(from: Item, path: readonly Item[], run: Run): Item | undefined | Failure {
  let at: Item | undefined = from
  if (!run.meter.visitItems(path.length)) return undefined
  for (const segment of path) {
    if (!run.meter.hasTime()) return undefined
    if (isItems(at)) at = isInteger(segment) ? at[Number(segment)] : undefined
    else if (isDict(at)) {
      const key = printText(segment, run.meter)
      if (key instanceof Failure) return key
      at = at.get(key)
    } else return undefined
  }
  return at
}

/** The listed keys as a set of texts. */
function keySet(list: readonly Item[], run: Run): Set<string> | Failure {
  const keys = new Set<string>()
  if (!run.meter.allotItems(list.length)) return keys
  for (const item of list) {
    if (!run.meter.hasTime()) return keys
    const key = printText(item, run.meter)
    if (key instanceof Failure) return key
    keys.add(key)
  }
  return keys
}

function selected(keys: readonly Item[], dict: Dict, wanted: boolean, run: Run): Item | Failure {
  const named = keySet(keys, run)
  if (named instanceof Failure) return named
  if (!run.meter.allotItems(dict.size)) return null
  const kept = new Map<string, Item>()
  for (const [key, value] of dict) {
    if (!run.meter.hasTime()) return null
    if (named.has(key) === wanted) kept.set(key, value)
  }
  return kept
}

function merged(a: Dict, b: Dict, run: Run, depth: number): Dict {
  if (!run.meter.allotItems(a.size + b.size)) return a
  if (depth > mergeDepthMax && !run.meter.exceed('depth')) return a
  const result = new Map(a)
  for (const [key, value] of b) {
    if (!run.meter.hasTime()) return a
    const old = result.get(key)
    const both = isDict(old) && isDict(value)
    result.set(key, both ? merged(old, value, run, depth + 1) : value)
  }
  return result
}

/** A builtin that compares the keys of a mapping with those of a list. */
const comparesKeys = (means: string, holds: (dict: Dict, named: ReadonlySet<string>) => boolean) =>
  builtin(['dict', 'list'], means, (dict: Dict, list: readonly Item[], run: Run) => {
    const named = keySet(list, run)
    if (named instanceof Failure) return named
    return run.meter.visitItems(dict.size) && holds(dict, named)
  })

const hasAll = (dict: Dict, named: ReadonlySet<string>) => [...named].every(key => dict.has(key))

export const object = {
  get: builtin(
    ['any', 'any'],
    '(mapping or list, key or index) The value at the key or index; null if there is none.',
    (from, key, run) => {
      if (isDict(from)) {
        const text = printText(key, run.meter)
        return text instanceof Failure ? text : (from.get(text) ?? null)
      }
      if (!isItems(from)) return schemaFailure('spec_lang get expects dict or list')
      if (!isInteger(key)) return schemaFailure('spec_lang get expects integer list index')
      return from[Number(key)] ?? null
    },
  ),
  get_in: builtin(
    ['any', 'list'],
    '(value, path) The value at the path; null if there is none.',
    (from, path, run) => follow(from, path, run) ?? null,
  ),
  get_or: builtin(
    ['any', 'list', 'any'],
    '(value, path, default) The value at the path, or the default if there is none.',
    (from, path, otherwise, run) => {
      const found = follow(from, path, run)
      return found === undefined ? otherwise : found
    },
  ),
  has_key: builtin(
    ['any', 'text'],
    '(value, key) True if the value is a mapping with this key.',
    (from, key) => isDict(from) && from.has(key),
    { subjectFirst: true },
  ),
  has_path: builtin(
    ['any', 'list'],
    '(value, path) True if there is a value at the path.',
    (from, path, run) => {
      const found = follow(from, path, run)
      return found instanceof Failure ? found : found !== undefined
    },
  ),
  keys: builtin(['dict'], 'The keys, in order.', (dict, run) =>
    run.meter.allotItems(dict.size) ? [...dict.keys()] : null,
  ),
  values: builtin(['dict'], 'The values, in the order of their keys.', (dict, run) =>
    run.meter.allotItems(dict.size) ? [...dict.values()] : null,
  ),
  entries: builtin(['dict'], 'Pairs of key and value, in order.', (dict, run) =>
    run.meter.allotItems(dict.size * 3) ? [...dict.entries()] : null,
  ),
  merge: builtin(
    ['dict', 'dict'],
    'The members of both mappings. The second overrides the first.',
    (a, b, run) => {
      if (!run.meter.allotItems(a.size + b.size)) return null
      const both = new Map(a)
      for (const [key, value] of b) if (run.meter.hasTime()) both.set(key, value)
      return both
    },
  ),
  merge_deep: builtin(
    ['dict', 'dict'],
    'The same as `merge`, but mappings under the same key are merged too.',
    (a, b, run) => merged(a, b, run, 0),
  ),
  assoc: builtin(
    ['text', 'any', 'dict'],
    '(key, value, mapping) The mapping with this member set.',
    (key, value, dict, run) =>
      run.meter.allotItems(dict.size + 1) ? new Map(dict).set(key, value) : null,
  ),
  dissoc: builtin(
    ['text', 'dict'],
    '(key, mapping) The mapping without this key.',
    (key, dict, run) => {
      if (!run.meter.allotItems(dict.size)) return null
      const result = new Map(dict)
      result.delete(key)
      return result
    },
  ),
  pick: builtin(
    ['list', 'dict'],
    '(keys, mapping) The mapping with only these keys.',
    (keys, dict, run) => selected(keys, dict, true, run),
  ),
  omit: builtin(
    ['list', 'dict'],
    '(keys, mapping) The mapping without these keys.',
    (keys, dict, run) => selected(keys, dict, false, run),
  ),
  keys_exact: comparesKeys(
    '(mapping, keys) True if the mapping has exactly these keys.',
    (dict, named) => dict.size === named.size && hasAll(dict, named),
  ),
  keys_include: comparesKeys('(mapping, keys) True if the mapping has all of these keys.', hasAll),
  keys_exclude: comparesKeys(
    '(mapping, keys) True if the mapping has none of these keys.',
    (dict, named) => ![...named].some(key => dict.has(key)),
  ),
  prop_eq: builtin(
    ['text', 'any', 'dict'],
    '(key, expected, mapping) True if the member equals the expected value.',
    (key, expected, dict, run) => areSame(dict.get(key) ?? null, expected, run.meter),
  ),
  where: higherOrder(
    ['dict', 'dict'],
    '(expected, mapping) True if each member equals its expected value or satisfies its expected function.',
    function* (expected, dict, run) {
      if (!run.meter.visitItems(expected.size)) return false
      for (const [key, wanted] of expected) {
        const found = dict.get(key) ?? null
        const holds = isCallable(wanted)
          ? isTruthy(yield { callee: wanted, given: [found] })
          : areSame(found, wanted, run.meter)
        if (!holds) return false
      }
      return true
    },
  ),
  pluck: builtin(
    ['list', 'text'],
    '(list, key) The member of each item; null if an item has none.',
    (list, key, run) => {
      if (!run.meter.allotItems(list.length)) return null
      const memberOf = (item: Item | undefined) => (isDict(item) ? (item.get(key) ?? null) : null)
      return listOf(list.length, at => memberOf(list[at]), run.meter)
    },
  ),
} satisfies Namespace
