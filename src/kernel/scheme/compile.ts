/** Compiles forms to code. The reader bounds their nesting, so this follows it by recursion. */

import { quoted } from '../json.ts'
import { type Code, op } from './code.ts'
import { CodeBuilder } from './code-builder.ts'
import type { Globals } from './globals.ts'
import { ErrorAt } from './program-error.ts'
import { quasiquoted } from './quasiquote.ts'
import type { Source } from './read.ts'
import { compileForm, isFormName } from './special-forms.ts'
import { definedName, type Names, type Target } from './target.ts'
import { isKeyword, itemsOf, nil, Pair, Sym, unspecified, type Value } from './value.ts'

interface CompileOptions {
  readonly isPrelude?: boolean
  /** A variable may be defined by a later entry, as at a prompt. */
  readonly mayDefineLater?: boolean
}

/** Compiles a program. All its variables are checked before any of it runs. */
export function compile(
  { forms, places }: Source,
  globals: Globals,
  options: CompileOptions = {},
): Code | ErrorAt {
  return new Compiler(places, globals, options).program(forms)
}

export class Compiler {
  readonly #places: ReadonlyMap<Value, number>
  readonly #globals: Globals
  readonly #options: CompileOptions
  readonly #defined = new Set<string>()
  /** The first use of each global, by name. */
  readonly #used = new Map<string, number>()
  /** The place of the form around the present one. */
  #at = 0
  /** The first error. The compilation goes on, and its code is thrown away. */
  #error: ErrorAt | undefined

  constructor(places: ReadonlyMap<Value, number>, globals: Globals, options: CompileOptions) {
    this.#places = places
    this.#globals = globals
    this.#options = options
  }

  program(forms: readonly Value[]): Code | ErrorAt {
    const builder = this.builder('program')
    const target: Target = { builder, scope: undefined, isTail: true }
    this.sequence(forms, target)
    this.#checkGlobals()
    return this.#error ?? builder.code({ parameters: 0, hasRest: false })
  }

  builder(name: string): CodeBuilder {
    return new CodeBuilder(name, this.#options.isPrelude ?? false)
  }

  fail(form: Value, message: string, hint: string): void {
    this.#error ??= new ErrorAt(this.#placeOf(form), message, hint)
  }

  expression(form: Value, target: Target): void {
    const { builder, isTail } = target
    if (form instanceof Sym) this.#variable(form, target)
    else if (form instanceof Pair) {
      this.#list(form, target)
      return
    } else if (form === nil) {
      this.fail(form, 'the empty list cannot be called', "Write '() for the empty list.")
    } else builder.constant(form)
    if (isTail) builder.emit(op.return)
  }

  constant(value: Value, { builder, isTail }: Target): void {
    builder.constant(value)
    if (isTail) builder.emit(op.return)
  }

  /** Several forms; the value is that of the last. */
  sequence(forms: readonly Value[], target: Target): void {
    if (forms.length === 0) {
      this.constant(unspecified, target)
      return
    }
    for (const [at, form] of forms.entries()) {
      if (at === forms.length - 1) {
        this.expression(form, target)
        return
      }
      this.expression(form, { ...target, isTail: false })
      target.builder.emit(op.drop)
    }
  }

  /** The body of a procedure or a `let`. Definitions in it are variables of a scope of their own. */
  body(forms: readonly Value[], target: Target, form: Value): void {
    if (forms.length === 0) this.fail(form, 'the body is empty', 'Add an expression.')
    const names = this.#definedIn(forms, target.scope)
    if (names.length === 0) {
      this.sequence(forms, target)
      return
    }
    const { builder, scope, isTail } = target
    builder.emit(op.openEmpty, names.length)
    this.sequence(forms, { builder, scope: { names, outer: scope }, isTail })
    if (!isTail) builder.emit(op.closeScope)
  }

  #definedIn(forms: readonly Value[], scope: Names | undefined): string[] {
    const names: string[] = []
    for (const form of forms) {
      if (!(form instanceof Pair) || !(form.car instanceof Sym)) continue
      const { name } = form.car
      if (isLocal(name, scope)) continue
      if (name === 'begin') names.push(...this.#definedIn(itemsOf(form.cdr) ?? [], scope))
      if (name !== 'define') continue
      const defined = definedName(form)
      if (defined === undefined) continue
      if (names.includes(defined.name)) {
        this.fail(form, `${defined.name} is defined twice in one body`, 'Rename one of them.')
      }
      names.push(defined.name)
    }
    return names
  }

  /** Stores the top of the stack. */
  store(name: Sym, { builder, scope }: Target, isDefinition: boolean): void {
    if (isFormName(name.name) && isDefinition) {
      this.fail(name, `${name.name} is a word of the language`, 'Choose another name.')
    }
    if (isKeyword(name)) this.fail(name, `${name.name} is a keyword`, 'Leave out the colon.')
    const found = find(name.name, scope)
    if (found !== undefined) {
      builder.emit(op.setLocal, found.distance, found.slot)
      return
    }
    if (isDefinition && scope !== undefined) {
      this.fail(name, 'define stands where an expression should', 'Move it to the start of a body.')
    }
    if (isDefinition) this.#defined.add(name.name)
    else this.#use(name)
    const kind = isDefinition ? op.defineGlobal : op.setGlobal
    builder.emit(kind, builder.global(this.#globals.own(name.name)))
    builder.placeAt(this.#placeOf(name))
  }

  procedure(name: string, parameters: Value, forms: readonly Value[], target: Target, form: Value) {
    const names: string[] = []
    let rest = parameters
    for (; rest instanceof Pair; rest = rest.cdr) names.push(this.#parameter(rest.car, names))
    const hasRest = rest !== nil
    const count = names.length
    if (hasRest) names.push(this.#parameter(rest, names))
    const builder = this.builder(name)
    builder.placeAt(this.#placeOf(form))
    const scope: Names = { names, outer: target.scope }
    this.body(forms, { builder, scope, isTail: true }, form)
    target.builder.closure(builder.code({ parameters: count, hasRest }))
    target.builder.placeAt(this.#placeOf(form))
  }

  #parameter(parameter: Value, names: readonly string[]): string {
    if (!(parameter instanceof Sym) || isKeyword(parameter)) {
      this.fail(parameter, 'a parameter must be a symbol', 'Write (lambda (x y) …).')
      return ''
    }
    if (names.includes(parameter.name)) {
      this.fail(parameter, `${parameter.name} is a parameter twice`, 'Rename one of them.')
    }
    return parameter.name
  }

  /** Calls a procedure that stands in the code as a constant. */
  callConstant(procedure: Value, count: number, { builder }: Target, form: Value): void {
    builder.constant(procedure)
    builder.emit(op.call, count)
    builder.placeAt(this.#placeOf(form))
  }

  /** Calls the procedure on the stack. */
  call(count: number, { builder, isTail }: Target, form: Value): void {
    builder.emit(isTail ? op.tailCall : op.call, count)
    builder.placeAt(this.#placeOf(form))
    if (isTail) builder.emit(op.return)
  }

  quasiquote(template: Value, target: Target): void {
    quasiquoted(template, { ...target, isTail: false }, this)
    if (target.isTail) target.builder.emit(op.return)
  }

  #list(form: Pair, target: Target): void {
    const around = this.#at
    this.#at = this.#placeOf(form)
    const head = form.car
    const items = itemsOf(form)
    if (items === undefined) {
      this.fail(form, 'a form must be a list', 'Quote a pair that is data: (quote (a . b)).')
    } else if (head instanceof Sym && isFormName(head.name) && !isLocal(head.name, target.scope)) {
      compileForm(head.name, form, items, target, this)
    } else {
      this.#application(form, items, target)
    }
    this.#at = around
  }

  #application(form: Pair, items: readonly Value[], target: Target): void {
    const { builder, scope, isTail } = target
    const [head = nil, ...args] = items
    const inner: Target = { builder, scope, isTail: false }
    for (const arg of args) this.expression(arg, inner)
    if (head instanceof Sym && !isKeyword(head) && !isLocal(head.name, scope)) {
      this.#use(head)
      const index = builder.global(this.#globals.own(head.name))
      builder.emit(isTail ? op.tailCallGlobal : op.callGlobal, index, args.length)
      builder.placeAt(this.#placeOf(form))
      if (isTail) builder.emit(op.return)
      return
    }
    this.expression(head, inner)
    this.call(args.length, target, form)
  }

  #variable(symbol: Sym, { builder, scope }: Target): void {
    const { name } = symbol
    if (isKeyword(symbol)) {
      builder.constant(symbol)
      return
    }
    const found = find(name, scope)
    if (found === undefined) {
      if (isFormName(name)) {
        const hint = `Call it: (${name} …).`
        this.fail(symbol, `${name} is a word of the language and no variable`, hint)
      }
      this.#use(symbol)
      builder.emit(op.global, builder.global(this.#globals.own(name)))
    } else if (found.distance > 1) builder.emit(op.far, found.distance, found.slot)
    else builder.emit(found.distance === 0 ? op.local : op.outer, found.slot)
    builder.nameAt(name)
    builder.placeAt(this.#placeOf(symbol))
  }

  #placeOf(form: Value): number {
    return this.#places.get(form) ?? this.#at
  }

  #use(symbol: Sym): void {
    if (!this.#used.has(symbol.name)) this.#used.set(symbol.name, this.#placeOf(symbol))
  }

  #checkGlobals(): void {
    if (this.#options.mayDefineLater) return
    for (const [name, at] of this.#used) {
      if (this.#defined.has(name) || this.#globals.own(name).value !== undefined) continue
      const near = this.#globals.nearest(name, [...this.#defined])
      const hint = near === undefined ? `Define it: (define ${name} …).` : `Did you mean ${near}?`
      this.#error ??= new ErrorAt(at, `the variable ${quoted(name)} is not defined`, hint)
    }
  }
}

const isLocal = (name: string, scope: Names | undefined) => find(name, scope) !== undefined

function find(name: string, scope: Names | undefined) {
  let distance = 0
  for (let at = scope; at !== undefined; at = at.outer) {
    const index = at.names.lastIndexOf(name)
    if (index !== -1) return { distance, slot: index + 1 }
    distance++
  }
  return undefined
}
