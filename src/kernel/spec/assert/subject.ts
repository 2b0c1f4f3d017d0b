/** The values that assertions look at. */
import { Float } from '../lang/float.ts'
import type { SpecError } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'

export type Subject = { readonly value: SpecValue } | SpecError

export const isSubjectError = (subject: Subject): subject is SpecError => 'category' in subject

/**
 * A harness returns JSON only; native values go into an envelope. Iterative, because printed JSON
 * may be nested deeper than the stack.
 */
export function isJsonValue(value: unknown): value is SpecValue {
  if (typeof value === 'string') return true
  const pending: unknown[] = [value]
  const seen = new Set<object>()
  while (pending.length > 0) {
    const one = pending.pop()
    if (one === null || typeof one === 'string' || typeof one === 'boolean') continue
    if (one instanceof Float || typeof one === 'bigint') continue
    if (typeof one === 'number' && Number.isFinite(one)) continue
    if (typeof one !== 'object') return false
    if (seen.has(one)) continue
    seen.add(one)
    if (Array.isArray(one)) for (const item of one) pending.push(item)
    else if (one instanceof Map) {
      for (const [key, item] of one) {
        if (typeof key !== 'string') return false
        pending.push(item)
      }
    } else return false
  }
  return true
}

interface Envelope {
  readonly profile: string
  readonly version: number
  readonly value: SpecValue
  readonly meta: Readonly<Record<string, SpecValue>>
  readonly context: Readonly<Record<string, SpecValue>>
}

/** `context_json`: facts about the run, in a shape common to all types. */
export function envelope({ profile, version, value, meta, context }: Envelope): SpecValue {
  return new Map<string, SpecValue>([
    ['profile_id', `${profile}/v${version}`],
    ['profile_version', version],
    ['value', value],
    ['meta', new Map(Object.entries(meta))],
    ['context', new Map(Object.entries(context))],
  ])
}
