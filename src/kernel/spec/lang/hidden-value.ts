/** A value as it may be shown: without the secrets of the run. */
import type { Secrets } from '../../text/secrets.ts'
import { numberOf } from './float.ts'
import { unlimitedMeter } from './meter.ts'
import { printText } from './print-value.ts'
import { isList, isMapping, type SpecValue } from './value.ts'

export function hiddenIn(value: SpecValue, secrets: Secrets): SpecValue {
  if (secrets.isEmpty) return value
  if (typeof value === 'string') return secrets.text(value)
  const printed = printText(value, unlimitedMeter())
  const isClean = typeof printed === 'string' && secrets.text(printed) === printed
  return isClean ? value : copyWithout(value, secrets)
}

/** Iterative, because printed JSON may be nested deeper than the stack. */
function copyWithout(value: SpecValue, secrets: Secrets): SpecValue {
  type Open = [readonly SpecValue[], SpecValue[]] | [Mapping, Map<string, SpecValue>]
  const pending: Open[] = []
  const begin = (one: SpecValue): SpecValue => {
    if (isList(one)) {
      const copy: SpecValue[] = []
      pending.push([one, copy])
      return copy
    }
    if (isMapping(one)) {
      const copy = new Map<string, SpecValue>()
      pending.push([one, copy])
      return copy
    }
    return hiddenScalar(one, secrets)
  }
  const root = begin(value)
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [from, into] = next
    if (into instanceof Map) {
      for (const [key, one] of from as Mapping) into.set(secrets.text(key), begin(one))
    } else for (const one of from as readonly SpecValue[]) into.push(begin(one))
  }
  return root
}

type Mapping = ReadonlyMap<string, SpecValue>

/** A secret of digits may be read as a number. */
function hiddenScalar(one: SpecValue, secrets: Secrets): SpecValue {
  const text = numberOf(one) === undefined ? one : String(one)
  if (typeof text !== 'string') return one
  const shown = secrets.text(text)
  return shown === text ? one : shown
}
