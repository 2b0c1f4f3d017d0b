/** How builtins are declared. */
import type { Meter } from '../meter.ts'
import { shown } from '../print.ts'
import { Builtin, Failure, Hash, isExact, Sym, typeOf, type Value } from '../value.ts'

const unbounded = Number.POSITIVE_INFINITY

/** A function of one argument. */
export const unary = (name: string, one: (a: Value, meter: Meter) => Value | Failure) =>
  new Builtin(name, 1, 1, { one, many: ([a], meter) => one(a as Value, meter) })

/** A function of two arguments. */
export const binary = (name: string, two: (a: Value, b: Value, meter: Meter) => Value | Failure) =>
  new Builtin(name, 2, 2, { two, many: ([a, b], meter) => two(a as Value, b as Value, meter) })

/** Of so many arguments, or more. */
export const variadic = (
  name: string,
  least: number,
  many: (args: readonly Value[], meter: Meter) => Value | Failure,
  most = unbounded,
) => new Builtin(name, least, most, { many })

export const predicate = (name: string, holds: (a: Value) => boolean) => unary(name, holds)

/** The budget is exceeded, and the machine stops the program whatever the result is. */
export const spent = false

export const wrongType = (name: string, wanted: string, value: Value) =>
  new Failure(
    `${name} needs ${wanted} and got ${typeOf(value)}: ${shown(value)}`,
    'Check the value before the call.',
  )

/** An index or a length: an integer from 0 on. */
export const isIndex = (value: Value | undefined): value is number =>
  typeof value === 'number' && isExact(value) && value >= 0

/** Keys are text. A symbol or a keyword stands for its name. */
export function keyOf(value: Value): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof Sym) return value.name.replace(/^:(?=.)/, '')
  return undefined
}

export const isHash = (value: Value): value is Hash => value instanceof Hash
