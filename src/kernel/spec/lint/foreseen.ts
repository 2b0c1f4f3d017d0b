/** Facts about the value of an expression before the subject is known. */

import { chainTarget } from '../case/key-shape.ts'
import { type Item, isTruthy } from '../lang/item.ts'
import { type JsonType, jsonTypeOf } from '../lang/std/type.ts'
import type { SpecValue } from '../lang/value.ts'

export interface Foreseen {
  /** The possible kinds of the value. */
  readonly kinds: readonly JsonType[]
  /** Its truth value, if certain. */
  readonly truth?: boolean | undefined
  /** The value, if certain. */
  readonly value?: SpecValue
  /** A non-negative integer. */
  readonly isCount?: true
  /** Evaluation may end in an error. */
  readonly mayFail: boolean
  /** The value is JSON: equal expressions are equal, which functions are not. */
  readonly isData: boolean
}

export const anyKind: readonly JsonType[] = ['null', 'bool', 'number', 'string', 'list', 'dict']

/** An unknown value. */
export const unforeseen: Foreseen = { kinds: anyKind, mayFail: true, isData: false }

/** An expression that always fails. */
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

const text: Foreseen = { kinds: ['string'], mayFail: false, isData: true }
/** Both always have keys. */
const envelope: Foreseen = { kinds: ['dict'], truth: true, mayFail: false, isData: true }

/** Subjects that always exist when assertions run. */
const certain: ReadonlyMap<string, Foreseen> = new Map([
  ['text', text],
  ['stdout', text],
  ['stderr', text],
  ['context_json', envelope],
  [chainTarget, envelope],
])

/** Any other subject may be missing, so every assertion on it can fail. */
export const foreseenSubject = (name: string): Foreseen =>
  certain.get(name) ?? { kinds: anyKind, mayFail: true, isData: true }
