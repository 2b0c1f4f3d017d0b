/** Values as text: compact JSON, without recursion, paid for while it grows. */
import { compareText } from './compare-text.ts'
import { type Item, isCallable, isDict, isItems, isScalarItem } from './item.ts'
import type { Meter } from './meter.ts'
import { type Failure, schemaFailure } from './spec-error.ts'

const isFunction = schemaFailure('spec_lang expects JSON values, got a function')

/** A value where text is expected: text is itself, anything else its JSON. */
export function printText(item: Item, meter: Meter): string | Failure {
  return typeof item === 'string' ? item : printItem(item, meter, 'as given')
}

/** Ready text to be written, or an item that is still to be printed. */
type Part = { readonly text: string } | { readonly item: Item }

export function printItem(item: Item, meter: Meter, keys: 'sorted' | 'as given'): string | Failure {
  const scalar = printScalar(item)
  if (scalar !== undefined) return scalar
  const written: string[] = []
  const pending: Part[] = [{ item }]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const text = 'text' in part ? part.text : printScalar(part.item)
    if (text !== undefined) {
      if (!meter.allotText(text.length)) return ''
      written.push(text)
    } else if ('item' in part) {
      if (isCallable(part.item)) return isFunction
      if (!meter.visitItems(2 * countOf(part.item))) return ''
      const parts = partsOf(part.item, keys)
      for (let at = parts.length - 1; at >= 0; at--) pending.push(parts[at] as Part)
    }
  }
  return written.join('')
}

function printScalar(item: Item): string | undefined {
  if (typeof item === 'string') return JSON.stringify(item)
  return isScalarItem(item) ? String(item) : undefined
}

function countOf(item: Item): number {
  if (isItems(item)) return item.length
  return isDict(item) ? item.size : 0
}

function partsOf(item: Item, keys: 'sorted' | 'as given'): Part[] {
  const parts: Part[] = []
  if (isItems(item)) {
    for (const one of item) parts.push({ text: parts.length === 0 ? '[' : ',' }, { item: one })
    parts.push({ text: item.length === 0 ? '[]' : ']' })
    return parts
  }
  if (!isDict(item)) return parts
  const names = [...item.keys()]
  if (keys === 'sorted') names.sort(compareText)
  for (const name of names) {
    const before = parts.length === 0 ? '{' : ','
    parts.push({ text: `${before}${JSON.stringify(name)}:` }, { item: item.get(name) ?? null })
  }
  parts.push({ text: names.length === 0 ? '{}' : '}' })
  return parts
}
