/** `std.logic`: truth, equality and order. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { areEqual, areSame } from '../equality.ts'
import { numberOf } from '../float.ts'
import { type Item, isTruthy } from '../item.ts'
import { orderOf } from '../order.ts'
import { schemaFailure } from '../spec-error.ts'

/** A builtin that says whether the order of two items is one of these. */
const ordered = (name: string, means: string, ...wanted: readonly number[]) =>
  builtin(['any', 'any'], means, (a: Item, b: Item, run: Run) => {
    const order = orderOf(a, b, run.meter)
    if (order !== undefined) return wanted.includes(order)
    return schemaFailure(`spec_lang ${name} expects two values of one kind that has an order`)
  })

export const logic = {
  and: builtin(['any', 'any'], 'Whether all are truthy.', (a, b) => isTruthy(a) && isTruthy(b), {
    lazy: 'and',
  }),
  or: builtin(['any', 'any'], 'Whether one is truthy.', (a, b) => isTruthy(a) || isTruthy(b), {
    lazy: 'or',
  }),
  not: builtin(['any'], 'Whether the value is falsy.', a => !isTruthy(a)),
  xor: builtin(
    ['any', 'any'],
    'Whether exactly one of two is truthy.',
    (a, b) => isTruthy(a) !== isTruthy(b),
  ),
  eq: builtin(
    ['any', 'any'],
    'Deep equality; numbers by value, so 1 is equal to 1.0.',
    (a, b, run) => areEqual(a, b, run.meter),
  ),
  neq: builtin(['any', 'any'], 'Not `eq`.', (a, b, run) => !areEqual(a, b, run.meter)),
  equals: builtin(
    ['any', 'any'],
    'Deep equality by kind and value: 1 does not equal 1.0.',
    (a, b, run) => areSame(a, b, run.meter),
  ),
  lt: ordered('lt', 'Whether the first comes before the second.', -1),
  lte: ordered('lte', 'Whether the first does not come after the second.', -1, 0),
  gt: ordered('gt', 'Whether the first comes after the second.', 1),
  gte: ordered('gte', 'Whether the first does not come before the second.', 0, 1),
  compare: builtin(
    ['any', 'any'],
    '-1, 0 or 1: how two numbers or two texts are ordered.',
    (a, b, run) => {
      const areTexts = typeof a === 'string' && typeof b === 'string'
      const areNumbers = numberOf(a) !== undefined && numberOf(b) !== undefined
      if (areTexts || areNumbers) return orderOf(a, b, run.meter) ?? 0
      return schemaFailure('spec_lang compare expects both args to be numbers or strings')
    },
  ),
  between: builtin(
    ['number', 'number', 'number'],
    '(low, high, value) Whether the value is within both bounds.',
    (low, high, value) => {
      if (low > high) return schemaFailure('spec_lang between expects low <= high')
      return low <= value && value <= high
    },
  ),
} satisfies Namespace
