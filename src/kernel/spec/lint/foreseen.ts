/** What can be said of the value of an expression before there is a subject. */
import { type Item, isTruthy } from '../lang/item.ts'
import { type JsonType, jsonTypeOf } from '../lang/std/type.ts'
import type { SpecValue } from '../lang/value.ts'

export interface Foreseen {
  /** The kinds it can be of. */
  readonly kinds: readonly JsonType[]
  /** Whether it is truthy, where that is certain. */
  readonly truth?: boolean | undefined
  /** The value itself, where it is certain. */
  readonly value?: SpecValue
  /** A number that is not below zero, and has no fraction. */
  readonly isCount?: true
  /** Evaluation may end in an error instead, whatever the budget. */
  readonly mayFail: boolean
  /** It is JSON: two of the same expression are equal, which two functions are not. */
  readonly isData: boolean
}

export const anyKind: readonly JsonType[] = ['null', 'bool', 'number', 'string', 'list', 'dict']

/** What nothing is known of. */
export const unforeseen: Foreseen = { kinds: anyKind, mayFail: true, isData: false }

/** What never comes to a value. */
export const failing: Foreseen = { kinds: [], truth: false, mayFail: true, isData: true }

export function constant(value: SpecValue): Foreseen {
  const kind = jsonTypeOf(value as Item)
  return {
    kinds: kind === undefined ? anyKind : [kind],
    truth: isTruthy(value as Item),
    value,
    mayFail: false,
    isData: true,
  }
}

export const truthValue = (truth: boolean | undefined, mayFail: boolean): Foreseen => ({
  kinds: ['bool'],
  truth,
  mayFail,
  isData: true,
})

export const isOnly = ({ kinds }: Foreseen, ...allowed: readonly JsonType[]): boolean =>
  kinds.every(kind => allowed.includes(kind))

export const areDisjoint = (one: Foreseen, other: Foreseen): boolean =>
  one.kinds.every(kind => !other.kinds.includes(kind))
