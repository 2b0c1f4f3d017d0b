/**
 * JSON as values of programs and back. An array becomes a list, an object a hash map, `null` stays
 * itself (`#null`). A JSON value that goes both ways is the same, each number included.
 */
import { EmptyObject, isJsonObject, type Json, JsonNumber, jsonDepthMax } from '../json.ts'
import type { Meter } from './meter.ts'
import { float, numberOfJson, numberText } from './numbers.ts'
import { sortedKeys } from './print.ts'
import {
  Failure,
  Float,
  Hash,
  listOf,
  nil,
  Pair,
  Sym,
  typeOf,
  unspecified,
  type Value,
  Vector,
} from './value.ts'

/** The depth of JSON is bounded where it is read. The program pays for what it gets. */
export function valueOfJson(json: Json, meter: Meter): Value | Failure {
  if (json === null || typeof json === 'boolean') return json
  if (typeof json === 'string') return meter.allotText(json.length) ? json : tooLarge()
  if (typeof json === 'number') {
    return Number.isSafeInteger(json) ? json : float(json)
  }
  if (json instanceof JsonNumber) return numberOfJson(json.text)
  const keys = isJsonObject(json) ? Object.keys(json) : undefined
  const members = keys === undefined ? (json as readonly Json[]) : []
  if (!meter.allotCells((keys ?? members).length + 1)) return tooLarge()
  if (keys === undefined) {
    const items: Value[] = []
    for (const member of members) {
      const item = valueOfJson(member, meter)
      if (item instanceof Failure) return item
      items.push(item)
    }
    return listOf(items)
  }
  const entries = new Map<string, Value>()
  for (const key of keys) {
    const member = (json as { readonly [key: string]: Json | undefined })[key]
    if (member === undefined) continue
    const value = valueOfJson(member, meter)
    if (value instanceof Failure) return value
    entries.set(key, value)
  }
  return new Hash(entries)
}

const tooLarge = () =>
  new Failure('the value is larger than the memory budget', 'Ask for less of it.')

/** A symbol becomes a string, a vector an array, a missing value `null`. */
export function jsonOfValue(value: Value, meter: Meter, depth = 0): Json | Failure {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') return meter.visitText(value.length) ? value : tooLong()
  if (typeof value === 'bigint') return new JsonNumber(String(value))
  if (value instanceof Float) return jsonOfFloat(value)
  if (value instanceof Sym) return value.name
  if (value === unspecified) return null
  if (depth >= jsonDepthMax) {
    const hint = 'Flatten the value.'
    return new Failure(`the value is nested more than ${jsonDepthMax} deep for JSON`, hint)
  }
  if (value instanceof Hash) return jsonOfHash(value, meter, depth)
  if (value === nil) return []
  if (value instanceof Pair) return jsonOfList(value, meter, depth)
  if (value instanceof Vector) return jsonOfItems(value.items, meter, depth)
  const hint = 'Return data, and not a procedure.'
  return new Failure(`JSON cannot carry ${typeOf(value)}`, hint)
}

const tooLong = () => new Failure('the value is too large to convert', 'Return less data.')

function jsonOfFloat(value: Float): Json {
  const text = numberText(value)
  return text === String(value.value) ? value.value : new JsonNumber(text)
}

function jsonOfList(list: Pair, meter: Meter, depth: number): Json | Failure {
  const items: Value[] = []
  let rest: Value = list
  while (rest instanceof Pair) {
    if (!meter.visit(1)) return tooLong()
    items.push(rest.car)
    rest = rest.cdr
  }
  if (rest === nil) return jsonOfItems(items, meter, depth)
  const hint = 'Return a list, or a hash map for pairs of key and value.'
  return new Failure('JSON cannot carry a pair that ends in no list', hint)
}

function jsonOfItems(items: readonly Value[], meter: Meter, depth: number): Json | Failure {
  const array: Json[] = []
  for (const item of items) {
    const json = meter.visit(1) ? jsonOfValue(item, meter, depth + 1) : tooLong()
    if (json instanceof Failure) return json
    array.push(json)
  }
  return array
}

function jsonOfHash(hash: Hash, meter: Meter, depth: number): Json | Failure {
  const object = new EmptyObject()
  for (const key of sortedKeys(hash)) {
    const value = hash.entries.get(key) as Value
    const json = meter.visit(1) ? jsonOfValue(value, meter, depth + 1) : tooLong()
    if (json instanceof Failure) return json
    object[key] = json
  }
  return object
}
