/** `std.logic`: truth, equality and order. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { areEqual, areSame } from '../equality.ts'
import { numberOf } from '../float.ts'
import { type Item, isTruthy } from '../item.ts'
import { orderOf } from '../order.ts'
import { schemaFailure } from '../spec-error.ts'

/** A builtin that says whether the order of two items is one of these. */
const ordered = (name: string, means: string, ...wanted: readonly number[]) =>
  builtin({
    takes: ['any', 'any'],
    means,
    apply: (a: Item, b: Item, run: Run) => {
      const order = orderOf(a, b, run.meter)
      if (order !== undefined) return wanted.includes(order)
      return schemaFailure(`spec_lang ${name} expects two values of one kind that has an order`)
    },
  })

export const logic = {
  and: builtin({
    takes: ['any', 'any'],
    lazy: 'and',
    means: 'Whether all are truthy.',
    apply: (a, b) => isTruthy(a) && isTruthy(b),
  }),
  or: builtin({
    takes: ['any', 'any'],
    lazy: 'or',
    means: 'Whether one is truthy.',
    apply: (a, b) => isTruthy(a) || isTruthy(b),
  }),
  not: builtin({
    takes: ['any'],
    means: 'Whether the value is falsy.',
    apply: a => !isTruthy(a),
  }),
  xor: builtin({
    takes: ['any', 'any'],
    means: 'Whether exactly one of two is truthy.',
    apply: (a, b) => isTruthy(a) !== isTruthy(b),
  }),
  eq: builtin({
    takes: ['any', 'any'],
    means: 'Deep equality; numbers by value, so 1 is equal to 1.0.',
    apply: (a, b, run) => areEqual(a, b, run.meter),
  }),
  neq: builtin({
    takes: ['any', 'any'],
    means: 'Not `eq`.',
    apply: (a, b, run) => !areEqual(a, b, run.meter),
  }),
  equals: builtin({
    takes: ['any', 'any'],
    means: 'Deep equality by kind and value: 1 does not equal 1.0.',
    apply: (a, b, run) => areSame(a, b, run.meter),
  }),
  lt: ordered('lt', 'Whether the first comes before the second.', -1),
  lte: ordered('lte', 'Whether the first does not come after the second.', -1, 0),
  gt: ordered('gt', 'Whether the first comes after the second.', 1),
  gte: ordered('gte', 'Whether the first does not come before the second.', 0, 1),
  compare: builtin({
    takes: ['any', 'any'],
    means: '-1, 0 or 1: how two numbers or two texts are ordered.',
    apply: (a, b, run) => {
      const areTexts = typeof a === 'string' && typeof b === 'string'
      const areNumbers = numberOf(a) !== undefined && numberOf(b) !== undefined
      if (areTexts || areNumbers) return orderOf(a, b, run.meter) ?? 0
      return schemaFailure('spec_lang compare expects both args to be numbers or strings')
    },
  }),
  between: builtin({
    takes: ['number', 'number', 'number'],
    means: '(low, high, value) Whether the value is within both bounds.',
    apply: (low, high, value) => {
      if (low > high) return schemaFailure('spec_lang between expects low <= high')
      return low <= value && value <= high
    },
  }),
} satisfies Namespace
