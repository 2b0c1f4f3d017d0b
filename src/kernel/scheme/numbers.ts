/**
 * Numbers. An integer is exact, within the 64 bits that JSON documents carry here; a result beyond
 * them is an error and never an approximation. A number with a point or an exponent is a float.
 */
import { printFloat } from '../number.ts'
import { Failure, Float, isNumber, typeOf, type Value } from './value.ts'

export type SchemeNumber = number | bigint | Float

const exactMax = 2n ** 64n - 1n
const exactMin = -(2n ** 63n)

/** An exact integer in its one form: a `number` if that is safe, else a `bigint`. */
export function exact(value: bigint): number | bigint | Failure {
  if (value > exactMax || value < exactMin) {
    return new Failure(
      'the integer does not fit into 64 bits',
      'Compute with smaller integers, or with floats (exact->inexact).',
    )
  }
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

/** A float; infinite results and those without a value are errors, since JSON has neither. */
export function float(value: number): Float | Failure {
  if (Number.isFinite(value)) return new Float(value)
  return new Failure('the result is not a finite number', 'Check for zero and size before.')
}

const integerPattern = /^[+-]?[0-9]+$/
const floatPattern = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/
/** The longest integers within 64 bits, with a sign; the conversion of longer ones takes long. */
const integerCharsMax = 21

/** The number that a word writes; `undefined` if it writes none. */
export function readNumber(word: string): SchemeNumber | Failure | undefined {
  if (integerPattern.test(word)) {
    const digits = word.replace(/^([+-]?)0+(?=[0-9])/, '$1').replace(/^\+/, '')
    return exact(digits.length > integerCharsMax ? exactMax + 1n : BigInt(digits))
  }
  if (!floatPattern.test(word)) return undefined
  return float(Number(word))
}

/** The text of a number. A float always has a point or an exponent. */
export const numberText = (number: SchemeNumber): string =>
  number instanceof Float ? printFloat(number.value) : String(number)

/** The number with this text in a JSON document, as `kernel/json.ts` spells it. */
export function numberOfJson(text: string): SchemeNumber | Failure {
  return integerPattern.test(text) ? exact(BigInt(text)) : float(Number(text))
}

export const asFloat = (number: SchemeNumber): number =>
  number instanceof Float ? number.value : Number(number)

export function notNumber(value: Value, name: string): Failure {
  return new Failure(`${name} needs numbers and got ${typeOf(value)}`, 'Convert the value before.')
}

type Exactly = (a: bigint, b: bigint) => bigint
type Roughly = (a: number, b: number) => number

/** Computes with two numbers: exact if both are. */
function computed(a: Value, b: Value, name: string, exactly: Exactly, roughly: Roughly) {
  if (!isNumber(a)) return notNumber(a, name)
  if (!isNumber(b)) return notNumber(b, name)
  if (a instanceof Float || b instanceof Float) return float(roughly(asFloat(a), asFloat(b)))
  return exact(exactly(BigInt(a), BigInt(b)))
}

export function add(a: Value, b: Value): SchemeNumber | Failure {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return computed(
    a,
    b,
    '+',
    (x, y) => x + y,
    (x, y) => x + y,
  )
}

export function subtract(a: Value, b: Value): SchemeNumber | Failure {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return computed(
    a,
    b,
    '-',
    (x, y) => x - y,
    (x, y) => x - y,
  )
}

export function multiply(a: Value, b: Value): SchemeNumber | Failure {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    // An integer has no negative zero.
    if (Number.isSafeInteger(product)) return product + 0
  }
  return computed(
    a,
    b,
    '*',
    (x, y) => x * y,
    (x, y) => x * y,
  )
}

/** Exact if the division leaves no remainder, else a float: there are no fractions. */
export function divide(a: Value, b: Value): SchemeNumber | Failure {
  if (!isNumber(a)) return notNumber(a, '/')
  if (!isNumber(b)) return notNumber(b, '/')
  if (asFloat(b) === 0) return divisionByZero('/')
  if (a instanceof Float || b instanceof Float) return float(asFloat(a) / asFloat(b))
  const [over, under] = [BigInt(a), BigInt(b)]
  return over % under === 0n ? exact(over / under) : float(Number(a) / Number(b))
}

const divisionByZero = (name: string) =>
  new Failure(`${name} divides by zero`, 'Check the divisor before.')

/** `quotient`, `remainder` and `modulo`, which take integers only. */
export function divideExactly(a: Value, b: Value, name: string, exactly: Exactly) {
  for (const value of [a, b]) {
    if (typeof value !== 'number' && typeof value !== 'bigint') {
      return new Failure(`${name} needs integers and got ${typeOf(value)}`, 'Use / for floats.')
    }
  }
  const [over, under] = [BigInt(a as number), BigInt(b as number)]
  return under === 0n ? divisionByZero(name) : exact(exactly(over, under))
}

/** Negative, zero or positive. JavaScript compares a `bigint` with a `number` exactly. */
export function compare(a: SchemeNumber, b: SchemeNumber): number {
  const left = a instanceof Float ? a.value : a
  const right = b instanceof Float ? b.value : b
  if (left < right) return -1
  return left > right ? 1 : 0
}
