/**
 * `std.math`: numbers. Integers give exact integers, floats give the nearest float, and no result is
 * infinite.
 */
import { builtin, type Namespace, type Run } from '../builtin.ts'
import { exactly, floatOf, isNumber, type SpecNumber } from '../float.ts'
import { type Integer, integerOf, isInteger } from '../integer.ts'
import { type Item, listOf } from '../item.ts'
import { orderOf } from '../order.ts'
import { Failure, schemaFailure } from '../spec-error.ts'

const outOfRange = (name: string) => schemaFailure(`spec_lang ${name} result is out of range`)

const exactResult = (name: string, value: bigint) => integerOf(value) ?? outOfRange(name)

/** A whole result up to 2^53 is an integer, also of floats. */
function result(name: string, value: number): SpecNumber | Failure {
  if (!Number.isFinite(value)) return outOfRange(name)
  // Adding 0 turns -0 into 0, because some printers show the sign.
  return Number.isSafeInteger(value) ? value + 0 : floatOf(value)
}

interface Operation {
  readonly rounded: (a: number, b: number) => number
  readonly exact: (a: bigint, b: bigint) => bigint
}

const operations = {
  add: { rounded: (a, b) => a + b, exact: (a, b) => a + b },
  sub: { rounded: (a, b) => a - b, exact: (a, b) => a - b },
  mul: { rounded: (a, b) => a * b, exact: (a, b) => a * b },
} satisfies Record<string, Operation>

function computed(name: string, { rounded, exact }: Operation, one: SpecNumber, other: SpecNumber) {
  const [a, b] = [exactly(one), exactly(other)]
  const near = rounded(Number(a), Number(b))
  // A result within 2^53 is exact, so most integers never become a BigInt.
  const isExact = Number.isSafeInteger(near) && typeof a === 'number' && typeof b === 'number'
  if (isExact || !isInteger(a) || !isInteger(b)) return result(name, near)
  return exactResult(name, exact(BigInt(a), BigInt(b)))
}

/** The quotient of integers is exact if it is whole. */
function quotient(a: Integer, b: Integer): SpecNumber | Failure {
  const isLarge = typeof a === 'bigint' || typeof b === 'bigint'
  if (isLarge && isInteger(a) && isInteger(b) && BigInt(a) % BigInt(b) === 0n) {
    return exactResult('div', BigInt(a) / BigInt(b))
  }
  return result('div', Number(a) / Number(b))
}

/** The remainder with the sign of the divisor. */
function remainder(a: Integer, b: Integer): Integer | Failure {
  if (typeof a === 'number' && typeof b === 'number') {
    const rest = a % b
    return (rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest) + 0
  }
  const rest = BigInt(a) % BigInt(b)
  return exactResult('mod', rest !== 0n && rest < 0n !== b < 0 ? rest + BigInt(b) : rest)
}

/** Twice the bits of the longest integer. A larger power is not worth computing. */
const powerBitsMax = 32_768

function power(a: Integer, b: Integer): SpecNumber | Failure {
  const near = Number(a) ** Number(b)
  const isSmall = Math.abs(near) <= 1
  if (isSmall || !isInteger(a) || !isInteger(b) || b < 0) return result('pow', near)
  const bits = BigInt(a).toString(2).length
  return bits * Number(b) > powerBitsMax
    ? outOfRange('pow')
    : exactResult('pow', BigInt(a) ** BigInt(b))
}

/** An integer from a function that rounds to whole numbers. */
function whole(name: string, item: SpecNumber, rounding: (value: number) => number) {
  const value = exactly(item)
  return isInteger(value) ? value : exactResult(name, BigInt(rounding(value)))
}

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
  add: builtin(['number', 'number'], 'The sum.', (a, b) => computed('add', operations.add, a, b)),
  sub: builtin(['number', 'number'], '(a, b) The difference a - b.', (a, b) =>
    computed('sub', operations.sub, a, b),
  ),
  mul: builtin(['number', 'number'], 'The product.', (a, b) =>
    computed('mul', operations.mul, a, b),
  ),
  div: builtin(
    ['number', 'number'],
    '(a, b) The quotient a / b, not rounded to an integer.',
    (a, b) => {
      if (Number(exactly(b)) === 0) return schemaFailure('spec_lang div expects non-zero divisor')
      return quotient(exactly(a), exactly(b))
    },
  ),
  mod: builtin(
    ['integer', 'integer'],
    '(a, b) The remainder of a / b, with the sign of b.',
    (a, b) => (b === 0 ? schemaFailure('spec_lang mod expects non-zero divisor') : remainder(a, b)),
  ),
  pow: builtin(['number', 'number'], '(a, b) a to the power of b.', (one, other) => {
    const [a, b] = [exactly(one), exactly(other)]
    if (a === 0 && b < 0) return schemaFailure('spec_lang pow expects no negative power of zero')
    if (a < 0 && typeof b === 'number' && !Number.isInteger(b)) {
      return schemaFailure('spec_lang pow expects a whole power of a negative number')
    }
    return power(a, b)
  }),
  abs: builtin(['number'], 'The absolute value.', a =>
    exactly(a) < 0 ? computed('abs', operations.sub, 0, a) : computed('abs', operations.add, 0, a),
  ),
  negate: builtin(['number'], 'The negated number.', a => computed('negate', operations.sub, 0, a)),
  inc: builtin(['number'], 'The number plus 1.', a => computed('inc', operations.add, a, 1)),
  dec: builtin(['number'], 'The number minus 1.', a => computed('dec', operations.sub, a, 1)),
  clamp: builtin(
    ['number', 'number', 'number'],
    '(low, high, value) The value, limited to the range from low to high.',
    (low, high, value) => {
      if (exactly(low) > exactly(high)) return schemaFailure('spec_lang clamp expects low <= high')
      if (exactly(value) < exactly(low)) return low
      return exactly(value) > exactly(high) ? high : value
    },
  ),
  round: builtin(['number'], 'The nearest integer. Halves round away from zero.', a =>
    whole('round', a, value => Math.sign(value) * Math.round(Math.abs(value))),
  ),
  floor: builtin(['number'], 'The largest integer that is not greater.', a =>
    whole('floor', a, Math.floor),
  ),
  ceil: builtin(['number'], 'The smallest integer that is not less.', a =>
    whole('ceil', a, Math.ceil),
  ),
  sum: builtin(['list'], 'The sum of a list of numbers; 0 for an empty list.', (list, run) => {
    if (!run.meter.visitItems(list.length)) return null
    let sum: SpecNumber = 0
    for (const item of list) {
      if (!run.meter.hasTime()) return null
      if (!isNumber(item)) return schemaFailure('spec_lang sum expects numeric items')
      const next = computed('sum', operations.add, sum, item)
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
      const count = start < end ? Number(BigInt(end) - BigInt(start)) : 0
      if (!run.meter.allotItems(count)) return null
      const isShort = typeof start === 'number' && typeof end === 'number'
      const place = (at: number) =>
        isShort ? start + at : (integerOf(BigInt(start) + BigInt(at)) ?? 0)
      return listOf<Integer>(count, place, run.meter)
    },
  ),
} satisfies Namespace
