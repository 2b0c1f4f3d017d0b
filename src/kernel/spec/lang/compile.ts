/**
 * Compiles an expression once for all evaluations. Iterative, so that deep nesting cannot overflow
 * the stack.
 */
import type { Builtin } from './builtin.ts'
import { builtinNamed } from './builtins.ts'
import type { Code, Instruction, Jump } from './instruction.ts'
import type { Item } from './item.ts'
import { operatorNamed, plainScope, type Scope } from './scope.ts'
import { type Failure, type SpecError, schemaFailure } from './spec-error.ts'
import { isList, isMapping, type SpecValue } from './value.ts'

interface CompileOptions {
  /** The path of the expression, such as `assert[0].must[0].evaluate[1]`. */
  readonly path: string
  readonly scope?: Scope
}

export interface Compiled {
  readonly path: string
  readonly code: Code
  /** Nodes and text bytes of the source, for the budget. */
  readonly nodes: number
  readonly literalBytes: number
  /** Errors that occur only if evaluation reaches them: unknown names, wrong argument counts. */
  readonly doubts: readonly SpecError[]
}

/** Returns all errors in the shape of forms. Errors that depend on evaluation are doubts. */
export function compileExpression(
  source: SpecValue,
  options: CompileOptions,
): Compiled | SpecError[] {
  return new Compiler(options).compile(source)
}

/** Names bound by one `fn` or `let`, with the enclosing scopes. */
interface Bound {
  readonly slots: ReadonlyMap<string, number>
  readonly outer: Bound | undefined
}

/** The position of a form: path, scope, code, and whether it is in tail position. */
interface Place {
  readonly path: string
  readonly bound: Bound | undefined
  readonly into: Instruction[]
  readonly tail: boolean
}

/** Compiles a part of a form and returns the tasks to run first. */
type Task = () => Tasks

type Tasks = readonly Task[]

const done: Tasks = []

class Compiler {
  readonly #path: string
  readonly #scope: Scope
  readonly #errors: SpecError[] = []
  readonly #doubts: SpecError[] = []
  #nodes = 0
  #literalBytes = 0

  constructor({ path, scope = plainScope }: CompileOptions) {
    this.#path = path
    this.#scope = scope
  }

  compile(source: SpecValue): Compiled | SpecError[] {
    const code: Instruction[] = []
    this.#finish(
      this.#later(source, { path: this.#path, bound: undefined, into: code, tail: true }),
    )
    code.push({ op: 'return', path: this.#path })
    if (this.#errors.length > 0) return this.#errors
    return {
      path: this.#path,
      code,
      nodes: this.#nodes,
      literalBytes: this.#literalBytes,
      doubts: this.#doubts,
    }
  }

  #finish(first: Task): void {
    const pending = [first]
    for (let task = pending.pop(); task !== undefined; task = pending.pop()) {
      const next = task()
      for (let at = next.length - 1; at >= 0; at--) pending.push(next[at] as Task)
    }
  }

  #visit(source: SpecValue, place: Place): Tasks {
    this.#nodes++
    if (isMapping(source)) return this.#form(source, place)
    if (isList(source)) return this.#refuse(place.path, listRefused, listHint)
    this.#scalar(source, place.path)
    return push(place.into, { op: 'value', value: source, path: place.path })
  }

  #form(source: ReadonlyMap<string, SpecValue>, place: Place): Tasks {
    const [entry] = source
    if (entry === undefined || source.size > 1) {
      return this.#refuse(place.path, 'expression mapping must have exactly one operator key')
    }
    const [name, operand] = entry
    if (name.trim() === '') return this.#refuse(place.path, 'operator key must be non-empty')
    this.#count(name)
    const { bound, into, tail } = place
    const at: Place = { path: `${place.path}.${name}`, bound, into, tail }
    if (name === 'lit') return this.#literal(operand, at)
    if (name === 'var') return this.#variable(operand, at)
    if (!isList(operand)) return this.#refuse(at.path, 'operator args must be a list')
    if (name === 'fn') return this.#function(operand, at)
    if (name === 'let') return this.#let(operand, at)
    if (name === 'if') return this.#if(operand, at)
    if (name === 'call') return this.#call(operand, at)
    return this.#operator(name, operand, at)
  }

  #literal(value: SpecValue, place: Place): Tasks {
    const pending: SpecValue[] = [value]
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      this.#nodes++
      if (isList(next)) for (const item of next) pending.push(item)
      else if (isMapping(next)) {
        for (const [key, item] of next) {
          this.#count(key)
          pending.push(item)
        }
      } else this.#scalar(next, place.path)
    }
    return push(place.into, { op: 'value', value, path: place.path })
  }

  #variable(name: SpecValue, { path, bound, into }: Place): Tasks {
    if (typeof name !== 'string' || name.trim() === '') {
      return this.#refuse(path, 'variable name must be a non-empty string')
    }
    this.#count(name)
    let out = 0
    for (let scope = bound; scope !== undefined; scope = scope.outer) {
      const slot = scope.slots.get(name)
      if (slot !== undefined) return push(into, { op: 'local', out, slot, name, path })
      out++
    }
    return push(into, { ...this.#free(name, path), path })
  }

  /** A name the expression does not bind. */
  #free(name: string, path: string) {
    if (name === 'subject' && this.#scope.hasSubject) return { op: 'subject' } as const
    const alias = this.#scope.aliases.get(name)
    if (alias !== undefined) return { op: 'value', value: alias.asFunction as Item } as const
    const cell = this.#scope.symbols.get(name)
    if (cell !== undefined) return { op: 'symbol', cell } as const
    const builtin = builtinNamed(name)
    if (builtin !== undefined) return { op: 'value', value: builtin.asFunction as Item } as const
    if (this.#scope.values.includes(name)) return { op: 'offered', name } as const
    return this.#doubt(path, schemaFailure(`undefined variable: ${name}`))
  }

  #function(operand: readonly SpecValue[], { path, bound, into }: Place): Tasks {
    const [params, body] = operand
    if (operand.length !== 2 || !isList(params) || !params.every(isName)) {
      return this.#refuse(path, 'fn args must be [params, body]')
    }
    const repeated = repeatedIn(params)
    if (repeated !== undefined) return this.#refuse(path, `duplicate fn param: ${repeated}`)
    for (const name of params) this.#count(name)
    this.#nodes += params.length + 1
    const code: Instruction[] = []
    into.push({ op: 'closure', code, count: params.length, path })
    return [
      this.#later(body as SpecValue, {
        path: `${path}[1]`,
        bound: { slots: slotsOf(params), outer: bound },
        into: code,
        tail: true,
      }),
      () => push(code, { op: 'return', path }),
    ]
  }

  /** Bindings are mutually visible, so that functions can recurse. */
  #let(operand: readonly SpecValue[], place: Place): Tasks {
    const [bindings, body] = operand
    if (operand.length !== 2) return this.#dead(operand, place, arity('let', 2, operand))
    if (!isList(bindings) || !bindings.every(isBinding)) {
      return this.#dead([body as SpecValue], place, badBinding)
    }
    const names = bindings.map(([name]) => name)
    const repeated = repeatedIn(names)
    if (repeated !== undefined) {
      return this.#dead([], place, schemaFailure(`duplicate let binding: ${repeated}`))
    }
    for (const name of names) this.#count(name)
    const { path, into } = place
    const inside = { ...place, bound: { slots: slotsOf(names), outer: place.bound } }
    into.push({ op: 'enter', count: names.length, path })
    return [
      ...bindings.flatMap(([, value], slot) => [
        this.#later(value, { ...inside, path: `${path}[0][${slot}][1]`, tail: false }),
        () => push(into, { op: 'store', slot, path }),
      ]),
      this.#later(body as SpecValue, { ...inside, path: `${path}[1]` }),
      () => push(into, { op: 'leave', path }),
    ]
  }

  #if(operand: readonly SpecValue[], place: Place): Tasks {
    if (operand.length !== 3) return this.#dead(operand, place, arity('if', 3, operand))
    const [condition, then, otherwise] = operand as [SpecValue, SpecValue, SpecValue]
    const { path, into } = place
    const unless: Jump = { op: 'unless', to: 0, path }
    const end: Jump = { op: 'jump', to: 0, path }
    return [
      this.#later(condition, { ...place, path: `${path}[0]`, tail: false }),
      () => push(into, unless),
      this.#later(then, { ...place, path: `${path}[1]` }),
      () => {
        push(into, end)
        unless.to = into.length
        return done
      },
      this.#later(otherwise, { ...place, path: `${path}[2]` }),
      () => {
        end.to = into.length
        return done
      },
    ]
  }

  #call(operand: readonly SpecValue[], place: Place): Tasks {
    if (operand.length === 0) {
      return this.#dead([], place, schemaFailure(`${arityText('call')}: expected at least 1 got 0`))
    }
    const { path, into, tail } = place
    const call = () => push(into, { op: 'call', count: operand.length - 1, tail, path })
    return [...this.#operands(operand, place), call]
  }

  #operator(name: string, operand: readonly SpecValue[], place: Place): Tasks {
    const builtin = operatorNamed(name, this.#scope)
    if (builtin === undefined) {
      const unknown = schemaFailure(`unsupported spec_lang symbol: ${name}`)
      return this.#dead(operand, place, unknown)
    }
    if (builtin.lazy !== undefined) return this.#lazy(builtin, builtin.lazy, operand, place)
    const lacking = builtin.arity - operand.length
    const fits = lacking === 0 || (lacking === 1 && mayLackOne(builtin))
    if (!fits) return this.#dead(operand, place, arity(builtin.short, builtin.arity, operand))
    const { path, into } = place
    if (lacking === 1 && builtin.subjectFirst) into.push({ op: 'subject', path })
    const apply = () => {
      if (lacking === 1 && builtin.lastOptional) into.push({ op: 'value', value: null, path })
      return push(into, { op: 'builtin', builtin, count: builtin.arity, path })
    }
    return [...this.#operands(operand, place), apply]
  }

  /** Compiles operands that evaluate only until one decides. */
  #lazy(
    builtin: Builtin,
    kind: 'and' | 'or' | 'coalesce',
    operand: readonly SpecValue[],
    place: Place,
  ): Tasks {
    if (operand.length === 0) {
      const message = `${arityText(builtin.short)}: expected at least 1 got 0`
      return this.#dead([], place, schemaFailure(message))
    }
    const { path, into } = place
    const jumps: Jump[] = []
    const decide = () => {
      const jump: Jump =
        kind === 'coalesce'
          ? { op: 'something', to: 0, path }
          : { op: 'decide', when: kind === 'or', to: 0, path }
      jumps.push(jump)
      return push(into, jump)
    }
    const end = () => {
      into.push(kind === 'coalesce' ? { op: 'value', value: null, path } : { op: 'truth', path })
      for (const jump of jumps) jump.to = into.length
      return done
    }
    const tasks = this.#operands(operand, place).flatMap(task => [task, decide])
    // The last operand of `and` and `or` decides by its truth value.
    return kind === 'coalesce' ? [...tasks, end] : [...tasks.slice(0, -1), end]
  }

  /** Fails when evaluation reaches it. The operands are still compiled to report their errors. */
  #dead(operand: readonly SpecValue[], place: Place, failure: Failure): Tasks {
    place.into.push({ ...this.#doubt(place.path, failure), path: place.path })
    return this.#operands(operand, { ...place, into: [] })
  }

  #operands(operand: readonly SpecValue[], place: Place): Task[] {
    const { path, bound, into } = place
    return operand.map((source, at) =>
      this.#later(source, { path: `${path}[${at}]`, bound, into, tail: false }),
    )
  }

  #later(source: SpecValue, place: Place): Task {
    return () => this.#visit(source, place)
  }

  #doubt(path: string, failure: Failure) {
    this.#doubts.push({ category: failure.category, message: failure.message, path })
    return { op: 'fail', failure } as const
  }

  #refuse(path: string, message: string, hint?: string): Tasks {
    this.#errors.push({ category: 'schema', message, path, ...(hint !== undefined && { hint }) })
    return done
  }

  #scalar(value: SpecValue, path: string): void {
    if (typeof value === 'string') this.#literalBytes += utf8Length(value)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.#refuse(path, 'a number must be finite')
    }
  }

  #count(name: string): void {
    this.#nodes++
    this.#literalBytes += utf8Length(name)
  }
}

function push(into: Instruction[], instruction: Instruction): Tasks {
  into.push(instruction)
  return done
}

function repeatedIn(names: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return names.find(name => seen.size === seen.add(name).size)
}

const listRefused =
  'list expressions are not allowed; use operator-keyed mapping AST and wrap literal lists with lit'
const listHint = 'Write a list of values as {lit: […]}.'

const badBinding = schemaFailure('spec_lang let binding must be [name, expr]')

const arityText = (name: string) => `spec_lang arity error for ${name}`

const arity = (name: string, expected: number, operand: readonly SpecValue[]) =>
  schemaFailure(`${arityText(name)}: expected ${expected} got ${operand.length}`)

const mayLackOne = (builtin: Builtin) => builtin.subjectFirst || builtin.lastOptional

const isName = (name: SpecValue): name is string => typeof name === 'string' && name.trim() !== ''

function isBinding(binding: SpecValue): binding is readonly [string, SpecValue] {
  return isList(binding) && binding.length === 2 && isName(binding[0] ?? null)
}

const slotsOf = (names: readonly string[]) => new Map(names.map((name, slot) => [name, slot]))

function utf8Length(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit < 0x80) continue
    // Each half of a surrogate pair counts for two of its four bytes.
    length += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return length
}
