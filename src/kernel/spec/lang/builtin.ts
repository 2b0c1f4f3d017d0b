/** The declaration of a builtin: its arguments, meaning and function. */
import { Float, isNumber, type SpecNumber } from './float.ts'
import { type Integer, isInteger } from './integer.ts'
import { BuiltinFunction, type Callable, type Item, isCallable, isDict, isItems } from './item.ts'
import type { Meter } from './meter.ts'
import { printText } from './print-value.ts'
import type { Regex } from './regex.ts'
import { Failure, schemaFailure } from './spec-error.ts'
import type { SpecValue } from './value.ts'

/** Values that a case offers beside the subject. The case may make one when it is asked for. */
export interface Offered {
  get(name: string): SpecValue | undefined
}

/** The context of a builtin besides its arguments. */
export interface Run {
  readonly subject: SpecValue
  readonly offered?: Offered | undefined
  readonly meter: Meter
  readonly regex: Regex
}

/** Argument kinds. `text` accepts any JSON and converts it to text. */
interface Kinds {
  any: Item
  list: readonly Item[]
  dict: ReadonlyMap<string, Item>
  number: SpecNumber
  integer: Integer
  string: string
  text: string
  function: Callable
}

type Kind = keyof Kinds

type Taken<T extends readonly Kind[]> = { -readonly [K in keyof T]: Kinds[T[K]] }

/** A call requested by a builtin, which then receives the result. */
interface Request {
  readonly callee: Callable
  readonly given: readonly Item[]
}

/** Requests calls one by one, so that calls never nest on the JavaScript stack. */
export type Steps = Generator<Request, Item | Failure, Item>

interface About {
  /** A short description. */
  readonly means: string
  /** The short name, if it is not the last part of the full name. */
  readonly short?: string
  /** As an operator, its first argument may be omitted and defaults to the subject. */
  readonly subjectFirst?: true
  /** As an operator, its last argument may be omitted and defaults to null. */
  readonly lastOptional?: true
  /** As an operator, it takes any number of arguments and evaluates only as many as it needs. */
  readonly lazy?: 'and' | 'or' | 'coalesce'
  /** It cannot be called as a value. */
  readonly operatorOnly?: true
}

/** A builtin without its name. */
export interface Entry extends About {
  readonly takes: readonly Kind[]
  readonly apply?: (...given: never) => Item | Failure
  readonly steps?: (...given: never) => Steps
}

type Apply = (...given: readonly unknown[]) => Item | Failure
type Begin = (...given: readonly unknown[]) => Steps

/** One class for all builtins keeps the interpreter's property access monomorphic. */
export class Builtin {
  /** Such as `std.string.contains`. */
  readonly name: string
  readonly short: string
  readonly takes: readonly Kind[]
  readonly arity: number
  readonly means: string
  readonly subjectFirst: boolean
  readonly lastOptional: boolean
  readonly lazy: About['lazy']
  readonly operatorOnly: boolean
  readonly apply: Apply | undefined
  readonly steps: Begin | undefined
  /** The builtin as a value without arguments. */
  readonly asFunction: BuiltinFunction

  constructor(namespace: string, member: string, entry: Entry) {
    this.name = `${namespace}.${member}`
    this.short = entry.short ?? member
    this.takes = entry.takes
    this.arity = entry.takes.length
    this.means = entry.means
    this.subjectFirst = entry.subjectFirst ?? false
    this.lastOptional = entry.lastOptional ?? false
    this.lazy = entry.lazy
    this.operatorOnly = entry.operatorOnly ?? false
    this.apply = entry.apply as Apply | undefined
    this.steps = entry.steps as Begin | undefined
    this.asFunction = new BuiltinFunction(this, [])
  }
}

export type Namespace = Readonly<Record<string, Entry>>

type More = Omit<About, 'means'>

/** A pure builtin. `apply` gets the declared arguments, then the run. */
export const builtin = <const T extends readonly Kind[]>(
  takes: T,
  means: string,
  apply: (...given: [...Taken<T>, Run]) => Item | Failure,
  more: More = {},
): Entry => ({ takes, means, apply, ...more })

/** A builtin that calls its function arguments. */
export const higherOrder = <const T extends readonly Kind[]>(
  takes: T,
  means: string,
  steps: (...given: [...Taken<T>, Run]) => Steps,
  more: More = {},
): Entry => ({ takes, means, steps, ...more })

/** Checks the arguments and applies the builtin. */
export function applyBuiltin(apply: Apply, called: Builtin, given: readonly Item[], run: Run) {
  const taken = takenBy(called, given, run)
  if (taken instanceof Failure) return taken
  // Most builtins take one or two arguments, and a spread costs more than they do.
  if (taken.length === 2) return apply(taken[0], taken[1], run)
  return taken.length === 1 ? apply(taken[0], run) : apply(...taken, run)
}

export function beginBuiltin(begin: Begin, called: Builtin, given: readonly Item[], run: Run) {
  const taken = takenBy(called, given, run)
  return taken instanceof Failure ? taken : begin(...taken, run)
}

/** Checks and converts the arguments. */
function takenBy(called: Builtin, given: readonly Item[], run: Run): readonly Item[] | Failure {
  const { takes } = called
  let taken = given
  for (let at = 0; at < takes.length; at++) {
    const kind = takes[at] as Kind
    const item = given[at] as Item
    if (isOf(kind, item)) continue
    const made = madeInto(kind, item, called, run)
    if (made instanceof Failure) return made
    if (taken === given) taken = given.slice()
    ;(taken as Item[])[at] = made
  }
  return taken
}

/** Any value converts to text. */
function madeInto(kind: Kind, item: Item, { short }: Builtin, run: Run): Item | Failure {
  if (kind === 'text') return printText(item, run.meter)
  return refused(short, kind, item)
}

function isOf(kind: Kind, item: Item): boolean {
  switch (kind) {
    case 'any':
      return true
    case 'text':
    case 'string':
      return typeof item === 'string'
    case 'number':
      return isNumber(item)
    case 'integer':
      return isInteger(item)
    case 'list':
      return isItems(item)
    case 'dict':
      return isDict(item)
    case 'function':
      return isCallable(item)
  }
}

const expectation: Record<Exclude<Kind, 'text' | 'function'>, string> = {
  any: 'a value',
  list: 'list',
  dict: 'dict',
  number: 'numeric args',
  integer: 'integer args',
  string: 'string input',
}

function refused(short: string, kind: Exclude<Kind, 'text'>, item: Item): Failure {
  if (kind === 'function') return notCallable
  const isFloat = kind === 'integer' && item instanceof Float
  const hint = isFloat ? `${item} is not an integer: write ${item.value}, or round it.` : undefined
  return schemaFailure(`spec_lang ${short} expects ${expectation[kind]}`, hint)
}

export const notCallable = schemaFailure(
  'spec_lang callable expects fn closure or builtin function',
)
