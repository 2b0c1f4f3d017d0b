/** Arithmetic. */
import type { Meter } from '../meter.ts'
import {
  add,
  asFloat,
  compare,
  divide,
  divideExactly,
  exact,
  float,
  multiply,
  notNumber,
  numberText,
  readNumber,
  subtract,
} from '../numbers.ts'
import { Builtin, Failure, Float, isExact, isNumber, type Value } from '../value.ts'
import { binary, predicate, unary, variadic, wrongType } from './declare.ts'

type Two = (a: Value, b: Value, meter: Meter) => Value | Failure

/** `(+ a b c …)` from the operation on two. */
function folded(name: string, two: Two, neutral: number | undefined): Builtin {
  const least = neutral === undefined ? 1 : 0
  return new Builtin(name, least, Number.POSITIVE_INFINITY, {
    two,
    many: (args, meter) => {
      meter.visit(args.length)
      const [first, ...rest] = args
      if (first === undefined) return neutral ?? 0
      // `(- a)` and `(/ a)` are the opposite; `(+ a)` checks that it is a number.
      const start = name === '/' ? 1 : 0
      if (rest.length === 0) return name === '*' ? two(1, first, meter) : two(start, first, meter)
      let result: Value | Failure = first
      for (const next of rest) {
        result = two(result, next, meter)
        if (result instanceof Failure) return result
      }
      return result
    },
  })
}

function comparison(name: string, holds: (order: number) => boolean): Builtin {
  const two: Two = (a, b) => {
    if (typeof a === 'number' && typeof b === 'number') return holds(a - b)
    if (!isNumber(a)) return notNumber(a, name)
    return isNumber(b) ? holds(compare(a, b)) : notNumber(b, name)
  }
  return new Builtin(name, 1, Number.POSITIVE_INFINITY, {
    two,
    many: (args, meter) => {
      meter.visit(args.length)
      let all = true
      for (const [at, next] of args.entries()) {
        const result: Value | Failure = two(args[at - 1] ?? next, next, meter)
        if (result instanceof Failure) return result
        if (at > 0 && result === false) all = false
      }
      return all
    },
  })
}

/** Rounds a float to a float, and keeps an integer. */
const rounded = (name: string, round: (value: number) => number) =>
  unary(name, value => {
    if (isExact(value)) return value
    return value instanceof Float ? float(round(value.value)) : notNumber(value, name)
  })

/** To the even neighbour, as Scheme does. */
function roundToEven(value: number): number {
  const near = Math.round(value)
  return Math.abs(value % 1) === 0.5 && near % 2 !== 0 ? near - 1 : near
}

const sign = (name: string, holds: (order: number) => boolean) =>
  unary(name, value => (isNumber(value) ? holds(compare(value, 0)) : notNumber(value, name)))

const parity = (name: string, odd: boolean) =>
  unary(name, value =>
    isExact(value) ? (BigInt(value) % 2n !== 0n) === odd : wrongType(name, 'an integer', value),
  )

export const numberBuiltins: readonly Builtin[] = [
  folded('+', add, 0),
  folded('-', subtract, undefined),
  folded('*', multiply, 1),
  folded('/', divide, undefined),
  comparison('=', order => order === 0),
  comparison('<', order => order < 0),
  comparison('>', order => order > 0),
  comparison('<=', order => order <= 0),
  comparison('>=', order => order >= 0),
  variadic('min', 1, args => extreme('min', args, -1)),
  variadic('max', 1, args => extreme('max', args, 1)),
  binary('quotient', (a, b) => divideExactly(a, b, 'quotient', (x, y) => x / y)),
  binary('remainder', (a, b) => divideExactly(a, b, 'remainder', (x, y) => x % y)),
  binary('modulo', (a, b) => divideExactly(a, b, 'modulo', (x, y) => ((x % y) + y) % y)),
  unary('abs', value => {
    if (!isNumber(value)) return notNumber(value, 'abs')
    return compare(value, 0) < 0 ? subtract(0, value) : value
  }),
  rounded('floor', Math.floor),
  rounded('ceiling', Math.ceil),
  rounded('truncate', Math.trunc),
  rounded('round', roundToEven),
  unary('sqrt', value => {
    if (!isNumber(value)) return notNumber(value, 'sqrt')
    const root = Math.sqrt(asFloat(value))
    return isExact(value) && Number.isSafeInteger(root) && BigInt(root) ** 2n === BigInt(value)
      ? root
      : float(root)
  }),
  unary('exact->inexact', value =>
    isNumber(value) ? float(asFloat(value)) : notNumber(value, 'exact->inexact'),
  ),
  unary('inexact->exact', value => {
    if (isExact(value)) return value
    if (!(value instanceof Float)) return notNumber(value, 'inexact->exact')
    if (Number.isInteger(value.value)) return exact(BigInt(value.value))
    return new Failure(`${numberText(value)} is no integer`, 'Round it before: (round x).')
  }),
  predicate('number?', isNumber),
  predicate('integer?', value => isExact(value) || isWhole(value)),
  predicate('exact?', isExact),
  predicate('inexact?', value => value instanceof Float),
  sign('zero?', order => order === 0),
  sign('positive?', order => order > 0),
  sign('negative?', order => order < 0),
  parity('odd?', true),
  parity('even?', false),
  unary('number->string', (value, meter) => {
    if (!isNumber(value)) return notNumber(value, 'number->string')
    const text = numberText(value)
    return meter.allotText(text.length) ? text : false
  }),
  unary('string->number', value => {
    if (typeof value !== 'string') return wrongType('string->number', 'a string', value)
    const number = readNumber(value)
    return number === undefined || number instanceof Failure ? false : number
  }),
]

const isWhole = (value: Value) => value instanceof Float && Number.isInteger(value.value)

function extreme(name: string, args: readonly Value[], order: -1 | 1): Value | Failure {
  let best: Value | undefined
  for (const value of args) {
    if (!isNumber(value)) return notNumber(value, name)
    if (best === undefined || (isNumber(best) && compare(value, best) === order)) best = value
  }
  return best ?? false
}
