/**
 * A number that is passed on as text keeps the digits that the author wrote. `argv: [3.10]` passes
 * `3.10`, although the number is 3.1.
 */
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

/** Keys from the case down, without list indices. */
type Keys = readonly string[]

/** Each scalar as text or as a number, depending on its place. */
export function settled(value: ReadValue, keys: Keys = []): SpecValue {
  if (value instanceof Written) return isText(keys) ? value.text : value.value
  if (Array.isArray(value)) {
    return (value as readonly ReadValue[]).map(item => settled(item, keys))
  }
  if (!(value instanceof Map)) return value as SpecValue
  const members = value as ReadonlyMap<string, ReadValue>
  return new Map([...members].map(([key, one]) => [key, settled(one, [...keys, key])]))
}

/** Assertions that compare with text. */
const comparesText: readonly string[] = ['contain', 'equal', 'lines', 'regex']

function isText([first, second, third, ...more]: Keys): boolean {
  if (first === 'argv') return true
  if (first === 'harness') {
    return second === 'env' || (second === 'setup_files' && third === 'text')
  }
  const inside = [second, third, ...more]
  return (
    first === 'assert' &&
    comparesText.includes(inside.findLast(key => key !== undefined) ?? '') &&
    !inside.includes('evaluate')
  )
}
