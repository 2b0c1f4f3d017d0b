/** The values of Scheme programs. All data is immutable, so no value can contain itself. */
import type { Code } from './code.ts'
import type { Meter } from './meter.ts'

/** Two symbols are the same if their names are. A name that begins with a colon is a keyword. */
export class Sym {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

export class Pair {
  readonly car: Value
  /** The reader and the list builders fill it in after they made the pair, and nobody else. */
  cdr: Value

  constructor(car: Value, cdr: Value) {
    this.car = car
    this.cdr = cdr
  }
}

class EmptyList {
  /** Tells the type from others without members. */
  readonly isEmptyList = true
}

export const nil = new EmptyList()

/** The value of expressions that have none, such as a definition. */
class Unspecified {
  readonly isUnspecified = true
}

export const unspecified = new Unspecified()

/** An inexact number, always finite. An exact one is a `number`, or a `bigint` if it is larger. */
export class Float {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

export class Vector {
  readonly items: readonly Value[]

  constructor(items: readonly Value[]) {
    this.items = items
  }
}

/** A map from text to values, as a JSON object is one. */
export class Hash {
  readonly entries: ReadonlyMap<string, Value>

  constructor(entries: ReadonlyMap<string, Value>) {
    this.entries = entries
  }
}

/** The variables of one scope. Slot 0 is the scope around it. */
export type Scope = [outer: Scope | undefined, ...values: (Value | undefined)[]]

export class Closure {
  readonly code: Code
  readonly scope: Scope | undefined

  constructor(code: Code, scope: Scope | undefined) {
    this.code = code
    this.scope = scope
  }
}

/** A reason why a program cannot go on. A program can catch it with `guard`. */
export class Failure {
  readonly message: string
  readonly hint: string | undefined
  /** The value that `raise` was called with, if the program did. */
  readonly raised: Value | undefined

  constructor(message: string, hint?: string, raised?: Value) {
    this.message = message
    this.hint = hint
    this.raised = raised
  }
}

export interface BuiltinBody {
  /** Faster ways for the common numbers of arguments. */
  readonly one?: (a: Value, meter: Meter) => Value | Failure
  readonly two?: (a: Value, b: Value, meter: Meter) => Value | Failure
  readonly many: (args: readonly Value[], meter: Meter) => Value | Failure
}

export class Builtin {
  readonly name: string
  readonly least: number
  readonly most: number
  readonly one: BuiltinBody['one']
  readonly two: BuiltinBody['two']
  readonly many: BuiltinBody['many']

  constructor(name: string, least: number, most: number, { one, two, many }: BuiltinBody) {
    this.name = name
    this.least = least
    this.most = most
    this.one = one
    this.two = two
    this.many = many
  }
}

/** Procedures that the machine itself carries out, because they call others or leave frames. */
export type ControlName = 'apply' | 'call/ec' | 'with-handler' | 'raise' | 'host'

export class Control {
  readonly name: ControlName

  constructor(name: ControlName) {
    this.name = name
  }
}

/** A host function by its action, such as `issue.ready`. */
export class HostFunction {
  readonly action: string

  constructor(action: string) {
    this.action = action
  }
}

/** The way out that `call/ec` hands to its procedure. It works until that procedure returns. */
export class Escape {
  readonly depth: number

  constructor(depth: number) {
    this.depth = depth
  }
}

export type Procedure = Closure | Builtin | Control | HostFunction | Escape

/** JavaScript's `null` is the null of JSON. */
export type Value =
  | number
  | bigint
  | Float
  | string
  | boolean
  | null
  | Sym
  | Pair
  | EmptyList
  | Unspecified
  | Vector
  | Hash
  | Procedure

export const isProcedure = (value: Value): value is Procedure =>
  value instanceof Closure ||
  value instanceof Builtin ||
  value instanceof Control ||
  value instanceof HostFunction ||
  value instanceof Escape

export const isExact = (value: Value): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint'

export const isNumber = (value: Value): value is number | bigint | Float =>
  isExact(value) || value instanceof Float

export const isKeyword = (value: Value): boolean =>
  value instanceof Sym && value.name.length > 1 && value.name.startsWith(':')

/** A proper list of the items, which ends in `tail`. */
export function listOf(items: readonly Value[], tail: Value = nil): Value {
  let list = tail
  for (let at = items.length - 1; at >= 0; at--) list = new Pair(items[at] as Value, list)
  return list
}

/** The items of a proper list; `undefined` for any other value. */
export function itemsOf(list: Value): Value[] | undefined {
  const items: Value[] = []
  let rest = list
  while (rest instanceof Pair) {
    items.push(rest.car)
    rest = rest.cdr
  }
  return rest === nil ? items : undefined
}

/** The name of a value's type, for messages. */
export function typeOf(value: Value): string {
  if (isExact(value)) return 'an integer'
  if (value instanceof Float) return 'a decimal number'
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'boolean') return 'a boolean'
  if (value === null) return 'the null of JSON'
  if (value === nil) return 'the empty list'
  if (value === unspecified) return 'no value'
  if (value instanceof Sym) return isKeyword(value) ? 'a keyword' : 'a symbol'
  if (value instanceof Pair) return 'a pair'
  if (value instanceof Vector) return 'a vector'
  return value instanceof Hash ? 'a hash map' : 'a procedure'
}
