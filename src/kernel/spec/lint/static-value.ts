/** Facts about the value of an expression before the subject is known. */

import { chainTarget } from '../case/key-shape.ts'
import { type Item, isTruthy } from '../lang/item.ts'
import { type JsonType, jsonTypeOf } from '../lang/std/type.ts'
import type { SpecValue } from '../lang/value.ts'

export interface StaticValue {
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
export const unknownValue: StaticValue = { kinds: anyKind, mayFail: true, isData: false }

/** An expression that always fails. */
export const alwaysFails: StaticValue = { kinds: [], truth: false, mayFail: true, isData: true }

export function constant(value: SpecValue): StaticValue {
  const kind = jsonTypeOf(value as Item)
  return {
    kinds: kind === undefined ? anyKind : [kind],
    truth: isTruthy(value as Item),
    value,
    mayFail: false,
    isData: true,
  }
}

export const truthValue = (truth: boolean | undefined, mayFail: boolean): StaticValue => ({
  kinds: ['bool'],
  truth,
  mayFail,
  isData: true,
})

export const hasOnlyKinds = ({ kinds }: StaticValue, ...allowed: readonly JsonType[]): boolean =>
  kinds.every(kind => allowed.includes(kind))

export const areDisjoint = (one: StaticValue, other: StaticValue): boolean =>
  one.kinds.every(kind => !other.kinds.includes(kind))

const text: StaticValue = { kinds: ['string'], mayFail: false, isData: true }
/** Both always have keys. */
const envelope: StaticValue = { kinds: ['dict'], truth: true, mayFail: false, isData: true }

/** Subjects that always exist when assertions run. */
const certain: ReadonlyMap<string, StaticValue> = new Map([
  ['text', text],
  ['stdout', text],
  ['stderr', text],
  ['output', text],
  ['exit_code', { kinds: ['number'], isCount: true, mayFail: false, isData: true }],
  ['context_json', envelope],
  [chainTarget, envelope],
])

/** Any other subject may be missing, so every assertion on it can fail. */
export const staticSubject = (name: string): StaticValue =>
  certain.get(name) ?? { kinds: anyKind, mayFail: true, isData: true }
