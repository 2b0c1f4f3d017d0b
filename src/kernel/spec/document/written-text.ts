/**
 * A number that is passed on as text keeps the digits that the author wrote. `argv: [3.10]` passes
 * `3.10`, although the number is 3.1.
 */
import { isValueSubject } from '../assert/sugar.ts'
import type { SpecValue } from '../lang/value.ts'

/** A scalar that prints differently than it is written: `3.10`, `007`, `0x1F`, `True`. */
export class Written {
  readonly value: SpecValue
  readonly text: string

  constructor(value: SpecValue, text: string) {
    this.value = value
    this.text = text
  }
}

/** The value of a node before its place in the case is known. */
export type ReadValue = SpecValue | Written | readonly ReadValue[] | ReadonlyMap<string, ReadValue>

/** Where a value stands in its case. */
interface Place {
  /** From the case down, without list indices. */
  readonly keys: readonly string[]
  /** The subject of the assertion around it. */
  readonly target: string
}

/** Each scalar as text or as a value, depending on its place. */
export function settled(value: ReadValue, place: Place = { keys: [], target: '' }): SpecValue {
  if (value instanceof Written) return isText(place) ? value.text : value.value
  if (Array.isArray(value)) return value.map(item => settled(item, place))
  if (!(value instanceof Map)) return value as SpecValue
  const named = value.get('target')
  const target = typeof named === 'string' ? named : place.target
  const inside = (key: string): Place => ({ keys: [...place.keys, key], target })
  return new Map([...value].map(([key, one]) => [key, settled(one, inside(key))]))
}

/** Keys whose scalars become text. */
const textKeys: readonly RegExp[] = [
  /^argv$/,
  /^harness env /,
  /^harness (?:setup_files text|orchestration args)$/,
  /^requests? (?:query|headers|form) /,
]

/** Assertions of these operators compare with text if their subject is text. */
const textAssertion = /^assert (?:(?!evaluate ).)*(?:contain|equal|lines|regex)$/

function isText({ keys, target }: Place): boolean {
  const path = keys.join(' ')
  if (textAssertion.test(path)) return !isValueSubject(target)
  return textKeys.some(pattern => pattern.test(path))
}
