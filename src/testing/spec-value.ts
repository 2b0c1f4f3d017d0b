/** Reads JSON as the value of a spec document. */
import { isJsonObject, type Json, JsonNumber } from '../kernel/json.ts'
import { floatOf } from '../kernel/spec/lang/float.ts'
import { integerIn } from '../kernel/spec/lang/integer.ts'
import type { SpecValue } from '../kernel/spec/lang/value.ts'

/** Iterative: printed JSON may be nested deeper than the stack. */
export function fromJson(json: Json): SpecValue {
  const pending: [Json, SpecValue[] | Map<string, SpecValue>][] = []
  const begin = (one: Json): SpecValue => {
    if (one instanceof JsonNumber) return numberWritten(one.text)
    if (Array.isArray(one)) return laterFilled(one, [])
    if (isJsonObject(one)) return laterFilled(one, new Map())
    return typeof one === 'number' ? numberPrinted(one) : (one as null | boolean | string)
  }
  const laterFilled = <T extends SpecValue[] | Map<string, SpecValue>>(from: Json, into: T): T => {
    pending.push([from, into])
    return into
  }
  const root = begin(json)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [from, into] = next
    if (Array.isArray(into)) for (const item of from as readonly Json[]) into.push(begin(item))
    else for (const [key, item] of Object.entries(from as object)) into.set(key, begin(item))
  }
  return root
}

const numberWritten = (text: string) =>
  /[.eE]/.test(text) ? floatOf(Number(text)) : (integerIn(text) ?? Number(text))

/** JavaScript prints whole numbers below 1e21 as integers. */
const numberPrinted = (value: number) =>
  /^-?\d+$/.test(String(value)) ? (integerIn(String(value)) ?? value) : value
