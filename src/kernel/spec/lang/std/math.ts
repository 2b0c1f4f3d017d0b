/** `std.math`: numbers. Integer operands never give a rounded result, and no result is infinite. */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { digitsEnd, numberOf } from '../float.ts'
import { type Item, listOf } from '../item.ts'
import { orderOf } from '../order.ts'
import { Failure, schemaFailure } from '../spec-error.ts'

/** Larger numbers print with an exponent, so their digits are not exact. */
const isWhole = (value: number) => Number.isInteger(value) && Math.abs(value) < digitsEnd

/** Refuses a rounded result of whole operands. `exactly` computes the exact one. */
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

/** Normalizes -0 to 0, because some printers show the sign. */
const plain = (value: number) => value + 0

/** The smallest (-1) or largest (1) item; the first of equal items. */
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
  sub: builtin(['number', 'number'], '(a, b) The difference a - b.', (a, b) =>
    subtract('sub', a, b),
  ),
  mul: builtin(['number', 'number'], 'The product.', (a, b) =>
    result('mul', a * b, [a, b], () => BigInt(a) * BigInt(b)),
  ),
  div: builtin(
    ['number', 'number'],
    '(a, b) The quotient a / b, not rounded to an integer.',
    (a, b) => {
      if (b === 0) return schemaFailure('spec_lang div expects non-zero divisor')
      const quotient = a / b
      return Number.isFinite(quotient)
        ? plain(quotient)
        : schemaFailure('spec_lang div result is out of range')
    },
  ),
  mod: builtin(
    ['integer', 'integer'],
    '(a, b) The remainder of a / b, with the sign of b.',
    (a, b) => {
      if (b === 0) return schemaFailure('spec_lang mod expects non-zero divisor')
      const rest = a % b
      return plain(rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest)
    },
  ),
  pow: builtin(['number', 'number'], '(a, b) a to the power of b.', (a, b) => {
    if (a === 0 && b < 0) return schemaFailure('spec_lang pow expects no negative power of zero')
    if (a < 0 && !Number.isInteger(b)) {
      return schemaFailure('spec_lang pow expects a whole power of a negative number')
    }
    return result('pow', a ** b, [a, b], () => BigInt(a) ** BigInt(b))
  }),
  abs: builtin(['number'], 'The absolute value.', a => Math.abs(a)),
  negate: builtin(['number'], 'The negated number.', a => plain(-a)),
  inc: builtin(['number'], 'The number plus 1.', a => add('inc', a, 1)),
  dec: builtin(['number'], 'The number minus 1.', a => subtract('dec', a, 1)),
  clamp: builtin(
    ['number', 'number', 'number'],
    '(low, high, value) The value, limited to the range from low to high.',
    (low, high, value) => {
      if (low > high) return schemaFailure('spec_lang clamp expects low <= high')
      return Math.min(high, Math.max(low, value))
    },
  ),
  round: builtin(['number'], 'The nearest integer. Halves round away from zero.', a =>
    plain(Math.sign(a) * Math.round(Math.abs(a))),
  ),
  floor: builtin(['number'], 'The largest integer that is not greater.', a => plain(Math.floor(a))),
  ceil: builtin(['number'], 'The smallest integer that is not less.', a => plain(Math.ceil(a))),
  sum: builtin(['list'], 'The sum of a list of numbers; 0 for an empty list.', (list, run) => {
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
  min: builtin(['list'], 'The smallest item of a non-empty list.', (list, run) =>
    extreme('min', list, -1, run),
  ),
  max: builtin(['list'], 'The largest item of a non-empty list.', (list, run) =>
    extreme('max', list, 1, run),
  ),
  range: builtin(
    ['integer', 'integer'],
    '(start, end) The integers from start to end, without end.',
    (start, end, run) => {
      const count = Math.max(0, end - start)
      return run.meter.allotItems(count) ? listOf(count, at => start + at, run.meter) : null
    },
  ),
} satisfies Namespace
