/** The values of spec documents and expressions. */
import { EmptyObject, type Json, JsonNumber } from '../../json.ts'
import { Float } from './float.ts'

/** JSON with mappings as Maps, which keep key order and inherit nothing. */
export type SpecValue =
  | null
  | boolean
  | number
  | bigint
  | Float
  | string
  | readonly SpecValue[]
  | ReadonlyMap<string, SpecValue>

export function toJson(value: SpecValue): Json {
  const pending: [SpecValue, Json[] | Record<string, Json>][] = []
  const begin = (one: SpecValue): Json => {
    if (isList(one)) return laterFilled(one, [])
    if (isMapping(one)) return laterFilled(one, new EmptyObject())
    if (one instanceof Float) return new JsonNumber(String(one))
    return typeof one === 'bigint' ? exactJson(one) : one
  }
  const laterFilled = <T extends Json[] | Record<string, Json>>(from: SpecValue, into: T): T => {
    pending.push([from, into])
    return into
  }
  const root = begin(value)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [from, into] = next
    if (isList(from) && Array.isArray(into)) for (const item of from) into.push(begin(item))
    if (isMapping(from) && !Array.isArray(into)) {
      for (const [key, item] of from) into[key] = begin(item)
    }
  }
  return root
}

function exactJson(integer: bigint): number | JsonNumber {
  const text = String(integer)
  return String(Number(text)) === text ? Number(text) : new JsonNumber(text)
}

export function isList(value: SpecValue | undefined): value is readonly SpecValue[] {
  return Array.isArray(value)
}

export function isMapping(value: SpecValue | undefined): value is ReadonlyMap<string, SpecValue> {
  return value instanceof Map
}
