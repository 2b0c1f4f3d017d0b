/** `std.math`: numbers. A result is exact where its operands are, finite, or an error. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { digitsEnd, numberOf } from '../float.ts'
import { type Item, listOf } from '../item.ts'
import { orderOf } from '../order.ts'
import { Failure, schemaFailure } from '../spec-error.ts'

/** Of larger ones nobody means each digit. */
const isWhole = (value: number) => Number.isInteger(value) && Math.abs(value) < digitsEnd

/** Of whole numbers each digit counts; `exactly` says what a result is that may be rounded. */
function result(
  name: string,
  value: number,
  operands: readonly number[],
  exactly: () => bigint,
): number | Failure {
  if (!Number.isFinite(value)) return schemaFailure(`spec_lang ${name} result is out of range`)
  if (Number.isSafeInteger(value) || !operands.every(isWhole)) return value + 0
  if (!Number.isInteger(value) || BigInt(value) === exactly()) return value
  return schemaFailure(`spec_lang ${name} result is beyond 2^53 and would be rounded`)
}

const add = (name: string, a: number, b: number) =>
  result(name, a + b, [a, b], () => BigInt(a) + BigInt(b))

const subtract = (name: string, a: number, b: number) =>
  result(name, a - b, [a, b], () => BigInt(a) - BigInt(b))

/** -0 is equal to 0 but printed differently by some. */
const plain = (value: number) => value + 0

/** The first of a list in an order: of the smallest or of the largest. */
function extreme(name: string, list: readonly Item[], wanted: -1 | 1, run: Run): Item | Failure {
  let [best] = list
  if (best === undefined) return schemaFailure(`spec_lang ${name} expects non-empty list`)
  if (!run.meter.visitItems(list.length)) return null
  for (const item of list) {
    if (!run.meter.hasTime()) return null
    const order = orderOf(item, best, run.meter)
    if (order === undefined) return schemaFailure(`spec_lang ${name} expects values of one kind`)
    if (order === wanted) best = item
  }
  return best
}

export const math = {
  add: builtin(['number', 'number'], 'The sum.', (a, b) => add('add', a, b)),
  sub: builtin(['number', 'number'], 'The first less the second.', (a, b) => subtract('sub', a, b)),
  mul: builtin(['number', 'number'], 'The product.', (a, b) =>
    result('mul', a * b, [a, b], () => BigInt(a) * BigInt(b)),
  ),
  div: builtin(['number', 'number'], 'The quotient, with its fraction.', (a, b) => {
    if (b === 0) return schemaFailure('spec_lang div expects non-zero divisor')
    const quotient = a / b
    return Number.isFinite(quotient)
      ? plain(quotient)
      : schemaFailure('spec_lang div result is out of range')
  }),
  mod: builtin(['integer', 'integer'], 'The remainder, with the sign of the divisor.', (a, b) => {
    if (b === 0) return schemaFailure('spec_lang mod expects non-zero divisor')
    const rest = a % b
    return plain(rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest)
  }),
  pow: builtin(['number', 'number'], 'The first to the power of the second.', (a, b) => {
    if (a === 0 && b < 0) return schemaFailure('spec_lang pow expects no negative power of zero')
    if (a < 0 && !Number.isInteger(b)) {
      return schemaFailure('spec_lang pow expects a whole power of a negative number')
    }
    return result('pow', a ** b, [a, b], () => BigInt(a) ** BigInt(b))
  }),
  abs: builtin(['number'], 'Without its sign.', a => Math.abs(a)),
  negate: builtin(['number'], 'With the other sign.', a => plain(-a)),
  inc: builtin(['number'], 'One more.', a => add('inc', a, 1)),
  dec: builtin(['number'], 'One less.', a => subtract('dec', a, 1)),
  clamp: builtin(
    ['number', 'number', 'number'],
    '(low, high, value) The value, or the bound it is beyond.',
    (low, high, value) => {
      if (low > high) return schemaFailure('spec_lang clamp expects low <= high')
      return Math.min(high, Math.max(low, value))
    },
  ),
  round: builtin(['number'], 'The nearest integer; a half goes away from zero.', a =>
    plain(Math.sign(a) * Math.round(Math.abs(a))),
  ),
  floor: builtin(['number'], 'The next integer below.', a => plain(Math.floor(a))),
  ceil: builtin(['number'], 'The next integer above.', a => plain(Math.ceil(a))),
  sum: builtin(['list'], 'The sum of a list of numbers; 0 of none.', (list, run) => {
    if (!run.meter.visitItems(list.length)) return null
    let sum = 0
    for (const item of list) {
      if (!run.meter.hasTime()) return null
      const number = numberOf(item)
      if (number === undefined) return schemaFailure('spec_lang sum expects numeric items')
      const next = add('sum', sum, number)
      if (next instanceof Failure) return next
      sum = next
    }
    return sum
  }),
  min: builtin(['list'], 'The first in order, of a list that is not empty.', (list, run) =>
    extreme('min', list, -1, run),
  ),
  max: builtin(['list'], 'The last in order, of a list that is not empty.', (list, run) =>
    extreme('max', list, 1, run),
  ),
  range: builtin(
    ['integer', 'integer'],
    'The integers from the first up to, but without, the second.',
    (start, end, run) => {
      const count = Math.max(0, end - start)
      return run.meter.allotItems(count) ? listOf(count, at => start + at, run.meter) : null
    },
  ),
} satisfies Namespace
