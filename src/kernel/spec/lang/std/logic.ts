/** `std.logic`: truth, equality and order. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { areEqual, areSame } from '../equality.ts'
import { isNumber } from '../float.ts'
import { type Item, isTruthy } from '../item.ts'
import { orderOf } from '../order.ts'
import { schemaFailure } from '../spec-error.ts'

/** A builtin that is true if the order of two items is one of the wanted ones. */
const ordered = (name: string, means: string, ...wanted: readonly number[]) =>
  builtin(['any', 'any'], means, (a: Item, b: Item, run: Run) => {
    const order = orderOf(a, b, run.meter)
    if (order !== undefined) return wanted.includes(order)
    return schemaFailure(`spec_lang ${name} expects two values of one orderable type`)
  })

export const logic = {
  and: builtin(
    ['any', 'any'],
    'True if all arguments are truthy.',
    (a, b) => isTruthy(a) && isTruthy(b),
    {
      lazy: 'and',
    },
  ),
  or: builtin(
    ['any', 'any'],
    'True if at least one argument is truthy.',
    (a, b) => isTruthy(a) || isTruthy(b),
    {
      lazy: 'or',
    },
  ),
  not: builtin(['any'], 'True if the value is falsy.', a => !isTruthy(a)),
  xor: builtin(
    ['any', 'any'],
    'True if exactly one of the two values is truthy.',
    (a, b) => isTruthy(a) !== isTruthy(b),
  ),
  eq: builtin(
    ['any', 'any'],
    'True if the values are deeply equal. Numbers compare by value: 1 equals 1.0.',
    (a, b, run) => areEqual(a, b, run.meter),
  ),
  neq: builtin(['any', 'any'], 'The negation of `eq`.', (a, b, run) => !areEqual(a, b, run.meter)),
  equals: builtin(
    ['any', 'any'],
    'True if the values are deeply equal and of the same kind: 1 does not equal 1.0.',
    (a, b, run) => areSame(a, b, run.meter),
  ),
  lt: ordered('lt', '(a, b) True if a < b.', -1),
  lte: ordered('lte', '(a, b) True if a <= b.', -1, 0),
  gt: ordered('gt', '(a, b) True if a > b.', 1),
  gte: ordered('gte', '(a, b) True if a >= b.', 0, 1),
  compare: builtin(
    ['any', 'any'],
    '(a, b) The order of two numbers or two texts: -1 if a < b, 0 if equal, 1 if a > b.',
    (a, b, run) => {
      const areTexts = typeof a === 'string' && typeof b === 'string'
      const areNumbers = isNumber(a) && isNumber(b)
      if (areTexts || areNumbers) return orderOf(a, b, run.meter) ?? 0
      return schemaFailure('spec_lang compare expects both args to be numbers or strings')
    },
  ),
  between: builtin(
    ['number', 'number', 'number'],
    '(low, high, value) True if low <= value <= high.',
    (low, high, value, run) => {
      if (orderOf(low, high, run.meter) === 1) {
        return schemaFailure('spec_lang between expects low <= high')
      }
      return orderOf(low, value, run.meter) !== 1 && orderOf(value, high, run.meter) !== 1
    },
  ),
} satisfies Namespace
