/** Hash maps: a changed map is a new one. Keys are strings; a symbol stands for its name. */
import type { Meter } from '../meter.ts'
import { sortedKeys } from '../print.ts'
import { type Builtin, Failure, Hash, itemsOf, listOf, Pair, type Value } from '../value.ts'
import { isHash, keyOf, predicate, spent, unary, variadic, wrongType } from './declare.ts'

/** A changed copy, paid for. */
function changed(
  name: string,
  value: Value,
  meter: Meter,
  change: (entries: Map<string, Value>) => Failure | undefined,
): Value | Failure {
  if (!isHash(value)) return wrongType(name, 'a hash map', value)
  const size = value.entries.size + 1
  if (!meter.visit(size) || !meter.allotCells(size)) return spent
  const entries = new Map(value.entries)
  return change(entries) ?? new Hash(entries)
}

/** Adds keys and values in turn. */
function addAll(name: string, entries: Map<string, Value>, pairs: readonly Value[]) {
  if (pairs.length % 2 !== 0) {
    return new Failure(`${name}: the last key has no value`, `Write (${name} "key" value).`)
  }
  for (let at = 0; at < pairs.length; at += 2) {
    const key = keyOf(pairs[at] as Value)
    if (key === undefined) return wrongType(name, 'strings as keys', pairs[at] as Value)
    entries.set(key, pairs[at + 1] as Value)
  }
  return undefined
}

const ofHash = (name: string, made: (hash: Hash) => readonly Value[]) =>
  unary(name, (value, meter) => {
    if (!isHash(value)) return wrongType(name, 'a hash map', value)
    const { size } = value.entries
    return meter.visit(size) && meter.allotCells(2 * size) ? listOf(made(value)) : spent
  })

export const hashBuiltins: readonly Builtin[] = [
  predicate('hash?', isHash),
  variadic('hash', 0, (args, meter) => {
    if (!meter.visit(args.length) || !meter.allotCells(args.length)) return spent
    const entries = new Map<string, Value>()
    return addAll('hash', entries, args) ?? new Hash(entries)
  }),
  variadic(
    'hash-ref',
    2,
    ([hash = false, key = false, missing]) => {
      if (!isHash(hash)) return wrongType('hash-ref', 'a hash map', hash)
      const name = keyOf(key)
      if (name === undefined) return wrongType('hash-ref', 'a string as key', key)
      const value = hash.entries.get(name)
      // A value may be null, which is not a missing one.
      const found = value === undefined ? missing : value
      if (found !== undefined) return found
      const hint = 'Pass a third argument: the value for a missing key.'
      return new Failure(`hash-ref: no key "${name.slice(0, 60)}"`, hint)
    },
    3,
  ),
  variadic('hash-set', 3, ([hash = false, ...pairs], meter) => {
    meter.visit(pairs.length)
    meter.allotCells(pairs.length)
    return changed('hash-set', hash, meter, entries => addAll('hash-set', entries, pairs))
  }),
  variadic(
    'hash-remove',
    2,
    ([hash = false, key = false], meter) =>
      changed('hash-remove', hash, meter, entries => {
        const name = keyOf(key)
        if (name === undefined) return wrongType('hash-remove', 'a string as key', key)
        entries.delete(name)
        return undefined
      }),
    2,
  ),
  variadic(
    'hash-has-key?',
    2,
    ([hash = false, key = false]) => {
      if (!isHash(hash)) return wrongType('hash-has-key?', 'a hash map', hash)
      const name = keyOf(key)
      return name === undefined
        ? wrongType('hash-has-key?', 'a string as key', key)
        : hash.entries.has(name)
    },
    2,
  ),
  unary('hash-count', value =>
    isHash(value) ? value.entries.size : wrongType('hash-count', 'a hash map', value),
  ),
  ofHash('hash-keys', hash => sortedKeys(hash)),
  ofHash('hash-values', hash => sortedKeys(hash).map(key => hash.entries.get(key) as Value)),
  ofHash('hash->list', hash =>
    sortedKeys(hash).map(key => new Pair(key, hash.entries.get(key) as Value)),
  ),
  unary('list->hash', (list, meter) => {
    const items = itemsOf(list)
    if (items === undefined) return wrongType('list->hash', 'a list of pairs', list)
    if (!meter.visit(items.length) || !meter.allotCells(items.length)) return spent
    const entries = new Map<string, Value>()
    for (const item of items) {
      const key = item instanceof Pair ? keyOf(item.car) : undefined
      if (key === undefined) return wrongType('list->hash', 'pairs of a key and a value', item)
      entries.set(key, (item as Pair).cdr)
    }
    return new Hash(entries)
  }),
  variadic('hash-merge', 0, (hashes, meter) => {
    const entries = new Map<string, Value>()
    for (const hash of hashes) {
      if (!isHash(hash)) return wrongType('hash-merge', 'hash maps', hash)
      if (!meter.visit(hash.entries.size) || !meter.allotCells(hash.entries.size)) return spent
      for (const [key, value] of hash.entries) entries.set(key, value)
    }
    return new Hash(entries)
  }),
]
