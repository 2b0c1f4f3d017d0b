/** How a builtin is declared: what it takes, what it means, and what it does. */
import { Float } from './float.ts'
import { BuiltinFunction, type Callable, type Item, isCallable, isDict, isItems } from './item.ts'
import type { Meter } from './meter.ts'
import { printText } from './print-value.ts'
import type { Regex } from './regex.ts'
import { Failure, schemaFailure } from './spec-error.ts'
import type { SpecValue } from './value.ts'

/** What a builtin can see besides its arguments. */
export interface Run {
  readonly subject: SpecValue
  readonly meter: Meter
  readonly regex: Regex
}

/** What arguments can be declared as; `text` takes any JSON and sees it as text. */
interface Kinds {
  any: Item
  list: readonly Item[]
  dict: ReadonlyMap<string, Item>
  number: number
  integer: number
  string: string
  text: string
  function: Callable
}

export type Kind = keyof Kinds

type Taken<T extends readonly Kind[]> = { -readonly [K in keyof T]: Kinds[T[K]] }

/** A call that a builtin asks for; the result comes back to it. */
export interface Request {
  readonly callee: Callable
  readonly given: readonly Item[]
}

/** Asks for calls one by one, so that what it calls never stands on top of our own stack. */
export type Steps = Generator<Request, Item | Failure, Item>

interface About {
  /** The builtin in a few words, for people. */
  readonly means: string
  /** The name without a namespace, where it is not the last part of the full one. */
  readonly short?: string
  /** As an operator it may lack its first argument, which is then the subject. */
  readonly subjectFirst?: true
  /** As an operator it may lack its last argument, which is then null. */
  readonly lastOptional?: true
  /** As an operator it takes any number of arguments, and only as many as decide are evaluated. */
  readonly lazy?: 'and' | 'or' | 'coalesce'
  /** Handed on as a value, it cannot be called. */
  readonly operatorOnly?: true
}

/** A builtin before it has its name. */
export interface Entry extends About {
  readonly takes: readonly Kind[]
  readonly apply?: (...given: readonly never[]) => Item | Failure
  readonly steps?: (...given: readonly never[]) => Steps
}

type Apply = (...given: readonly unknown[]) => Item | Failure
type Begin = (...given: readonly unknown[]) => Steps

/** One class for all, since the machine looks at builtins more often than at anything else. */
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
  /** The builtin as a value, before it was given anything. */
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

/** A builtin that computes; `given` are its arguments as declared, then the run. */
export function builtin<const T extends readonly Kind[]>(
  entry: About & {
    readonly takes: T
    readonly apply: (...given: [...Taken<T>, Run]) => Item | Failure
  },
): Entry {
  return entry as unknown as Entry
}

/** A builtin that calls functions it was given. */
export function higherOrder<const T extends readonly Kind[]>(
  entry: About & {
    readonly takes: T
    readonly steps: (...given: [...Taken<T>, Run]) => Steps
  },
): Entry {
  return entry as unknown as Entry
}

/** What a builtin computes of what it was given, once that was checked. */
export function applyBuiltin(apply: Apply, called: Builtin, given: readonly Item[], run: Run) {
  const taken = takenBy(called, given, run)
  if (taken instanceof Failure) return taken
  // Most take one or two, and spreading a list costs more than they do.
  if (taken.length === 2) return apply(taken[0], taken[1], run)
  return taken.length === 1 ? apply(taken[0], run) : apply(...taken, run)
}

export function beginBuiltin(begin: Begin, called: Builtin, given: readonly Item[], run: Run) {
  const taken = takenBy(called, given, run)
  return taken instanceof Failure ? taken : begin(...taken, run)
}

/** Checks what a builtin was given, and makes of it what it takes. */
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

/** Anything can be text, and one computes with numbers of both kinds alike. */
function madeInto(kind: Kind, item: Item, { short }: Builtin, run: Run): Item | Failure {
  if (kind === 'text') return printText(item, run.meter)
  if (kind === 'number' && item instanceof Float) return item.value
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
      return typeof item === 'number'
    case 'integer':
      return Number.isInteger(item)
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
  const hint = isFloat ? `${item} is no integer: write ${item.value}, or round it.` : undefined
  return schemaFailure(`spec_lang ${short} expects ${expectation[kind]}`, hint)
}

export const notCallable = schemaFailure(
  'spec_lang callable expects fn closure or builtin function',
)
