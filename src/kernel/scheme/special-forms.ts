/** The words of the language: forms that are no calls. */
import { isMember } from './builtins/lists.ts'
import { op } from './code.ts'
import type { Compiler } from './compile.ts'
import { definedName, type Names, type Target } from './target.ts'
import { Control, itemsOf, listOf, nil, Pair, Sym, unspecified, type Value } from './value.ts'

type Form = (items: readonly Value[], form: Pair, target: Target, compiler: Compiler) => void

interface Declared {
  /** How it is written, for errors. */
  readonly usage: string
  readonly least: number
  readonly most?: number
  readonly compile: Form
}

/** For names that no program can write. */
const hidden = (name: string) => new Sym(` ${name}`)

const inner = (target: Target): Target => ({ ...target, isTail: false })

const ifForm: Form = ([test = nil, yes = nil, no], form, target, compiler) => {
  compiler.expression(test, inner(target))
  branches(
    target,
    () => compiler.expression(yes, target),
    () =>
      no === undefined ? compiler.constant(unspecified, target) : compiler.expression(no, target),
  )
  void form
}

/** Takes the condition from the stack. */
function branches({ builder, isTail }: Target, yes: () => void, no: () => void): void {
  const toNo = builder.jump(op.jumpIfFalse)
  yes()
  const toEnd = isTail ? undefined : builder.jump(op.jump)
  toNo()
  no()
  toEnd?.()
}

const defineForm: Form = ([head = nil, ...rest], form, target, compiler) => {
  const name = definedName(form)
  if (name === undefined) {
    compiler.fail(form, 'define needs a name', 'Write (define name value).')
    return
  }
  if (head instanceof Pair) compiler.procedure(name.name, head.cdr, rest, target, form)
  else if (rest.length === 1) value(name, rest[0] as Value, target, compiler)
  else compiler.fail(form, 'define needs one value', 'Write (define name value).')
  compiler.store(name, target, true)
  compiler.constant(unspecified, target)
}

/** A procedure learns the name of its variable, for messages. */
function value(name: Sym, form: Value, target: Target, compiler: Compiler): void {
  const isLambda = form instanceof Pair && form.car instanceof Sym && form.car.name === 'lambda'
  const [, parameters, ...body] = (isLambda ? itemsOf(form) : undefined) ?? []
  if (parameters === undefined || body.length === 0) compiler.expression(form, inner(target))
  else compiler.procedure(name.name, parameters, body, target, form)
}

const setForm: Form = ([name, value = nil], form, target, compiler) => {
  if (!(name instanceof Sym)) {
    compiler.fail(form, 'set! needs a name', 'Write (set! name value).')
    return
  }
  compiler.expression(value, inner(target))
  compiler.store(name, target, false)
  compiler.constant(unspecified, target)
}

const lambdaForm: Form = ([parameters = nil, ...body], form, target, compiler) => {
  compiler.procedure('lambda', parameters, body, target, form)
  if (target.isTail) target.builder.emit(op.return)
}

/** The names and values of `((name value) …)`. */
function bindingsOf(bindings: Value | undefined, form: Pair, compiler: Compiler) {
  const names: Sym[] = []
  const values: Value[] = []
  for (const binding of itemsOf(bindings ?? nil) ?? [nil]) {
    const [name, value, ...more] = itemsOf(binding) ?? []
    if (!(name instanceof Sym) || value === undefined || more.length > 0) {
      compiler.fail(form, 'a binding must be (name value)', 'Write (let ((x 1) (y 2)) …).')
      continue
    }
    if (names.some(other => other.name === name.name)) {
      compiler.fail(form, `${name.name} is bound twice`, 'Rename one of them, or use let*.')
    }
    names.push(name)
    values.push(value)
  }
  return { names, values }
}

const scopeOf = (names: readonly Sym[], outer: Names | undefined): Names => ({
  names: names.map(({ name }) => name),
  outer,
})

const letForm: Form = ([first, ...rest], form, target, compiler) => {
  if (first instanceof Sym) {
    namedLet(first, rest, form, target, compiler)
    return
  }
  const { names, values } = bindingsOf(first, form, compiler)
  const { builder, scope, isTail } = target
  for (const value of values) compiler.expression(value, inner(target))
  builder.emit(op.openScope, names.length)
  compiler.body(rest, { builder, scope: scopeOf(names, scope), isTail }, form)
  if (!isTail) builder.emit(op.closeScope)
}

/** A loop is a procedure in a scope of its own, called with the first values. */
function namedLet(
  name: Sym,
  [bindings, ...body]: readonly Value[],
  form: Pair,
  target: Target,
  compiler: Compiler,
): void {
  const { names, values } = bindingsOf(bindings, form, compiler)
  const { builder, scope, isTail } = target
  for (const value of values) compiler.expression(value, inner(target))
  builder.emit(op.openEmpty, 1)
  const own: Target = { builder, scope: scopeOf([name], scope), isTail }
  compiler.procedure(name.name, listOf(names), body, own, form)
  builder.emit(op.setLocal, 0, 1, op.local, 1)
  compiler.call(values.length, own, form)
  if (!isTail) builder.emit(op.closeScope)
}

const letStarForm: Form = ([bindings = nil, ...body], form, target, compiler) => {
  const { builder, isTail } = target
  let { scope } = target
  const each = itemsOf(bindings) ?? [nil]
  for (const binding of each) {
    const { names, values } = bindingsOf(listOf([binding]), form, compiler)
    for (const value of values) compiler.expression(value, { builder, scope, isTail: false })
    builder.emit(op.openScope, names.length)
    scope = scopeOf(names, scope)
  }
  compiler.body(body, { builder, scope, isTail }, form)
  if (!isTail) for (const _ of each) builder.emit(op.closeScope)
}

const letrecForm: Form = ([bindings, ...body], form, target, compiler) => {
  const { names, values } = bindingsOf(bindings, form, compiler)
  const { builder, isTail } = target
  builder.emit(op.openEmpty, names.length)
  const own: Target = { builder, scope: scopeOf(names, target.scope), isTail }
  for (const [at, name] of names.entries()) {
    value(name, values[at] as Value, own, compiler)
    builder.emit(op.setLocal, 0, at + 1)
  }
  compiler.body(body, own, form)
  if (!isTail) builder.emit(op.closeScope)
}

const isWord = (value: Value | undefined, word: string) =>
  value instanceof Sym && value.name === word

/** Each clause ends in a jump to the end, and begins where the test before it failed. */
const condForm: Form = (clauses, form, target, compiler) => {
  const { builder, isTail } = target
  const ends: (() => void)[] = []
  const toEnd = () => {
    if (!isTail) ends.push(builder.jump(op.jump))
  }
  for (const [at, clause] of clauses.entries()) {
    const [test, ...body] = itemsOf(clause) ?? []
    if (test === undefined) {
      compiler.fail(
        form,
        'a clause must be (test value …)',
        'Write (cond (test value) (else value)).',
      )
    } else if (isWord(test, 'else')) {
      if (at < clauses.length - 1) {
        compiler.fail(clause, 'clauses follow else', 'Move else to the end.')
      }
      compiler.sequence(body, target)
      for (const end of ends) end()
      return
    } else {
      compiler.expression(test, inner(target))
      clauseBody(body, clause, target, compiler, toEnd)
    }
  }
  compiler.constant(unspecified, target)
  for (const end of ends) end()
}

/** The test is on the stack. */
function clauseBody(
  body: readonly Value[],
  clause: Value,
  target: Target,
  compiler: Compiler,
  toEnd: () => void,
): void {
  const { builder, isTail } = target
  const [arrow, receiver, ...more] = body
  if (body.length > 0 && !isWord(arrow, '=>')) {
    const toNext = builder.jump(op.jumpIfFalse)
    compiler.sequence(body, target)
    toEnd()
    toNext()
    return
  }
  if (body.length > 0 && (receiver === undefined || more.length > 0)) {
    compiler.fail(clause, '=> needs one procedure', 'Write (test => procedure).')
  }
  builder.emit(op.duplicate)
  const toNext = builder.jump(op.jumpIfFalse)
  if (receiver !== undefined) {
    compiler.expression(receiver, inner(target))
    compiler.call(1, target, clause)
  } else if (isTail) builder.emit(op.return)
  toEnd()
  toNext()
  builder.emit(op.drop)
}

const caseForm: Form = ([key = nil, ...clauses], form, target, compiler) => {
  const { builder, isTail } = target
  compiler.expression(key, inner(target))
  const ends: (() => void)[] = []
  for (const clause of clauses) {
    const [data, ...body] = itemsOf(clause) ?? []
    const isElse = isWord(data, 'else')
    if (data === undefined || (!isElse && itemsOf(data) === undefined)) {
      compiler.fail(
        form,
        'a clause must be ((datum …) value …)',
        "Write (case x ((a b) 'ab) (else 'c)).",
      )
      continue
    }
    if (isElse) {
      builder.emit(op.drop)
      compiler.sequence(body, target)
      for (const end of ends) end()
      return
    }
    builder.emit(op.duplicate)
    builder.constant(data)
    compiler.callConstant(isMember, 2, target, clause)
    const toNext = builder.jump(op.jumpIfFalse)
    builder.emit(op.drop)
    compiler.sequence(body, target)
    if (!isTail) ends.push(builder.jump(op.jump))
    toNext()
  }
  builder.emit(op.drop)
  compiler.constant(unspecified, target)
  for (const end of ends) end()
}

const logicForm =
  (kind: number, empty: boolean): Form =>
  (items, _form, target, compiler) => {
    const { builder } = target
    if (items.length === 0) {
      compiler.constant(empty, target)
      return
    }
    const ends: (() => void)[] = []
    for (const item of items.slice(0, -1)) {
      compiler.expression(item, inner(target))
      ends.push(builder.jump(kind))
    }
    compiler.expression(items.at(-1) as Value, target)
    for (const end of ends) end()
    if (target.isTail && ends.length > 0) builder.emit(op.return)
  }

const whenForm =
  (runsIf: boolean): Form =>
  ([test = nil, ...body], _form, target, compiler) => {
    compiler.expression(test, inner(target))
    const runs = () => compiler.sequence(body, target)
    const nothing = () => compiler.constant(unspecified, target)
    branches(target, runsIf ? runs : nothing, runsIf ? nothing : runs)
  }

/** `(do ((name first next) …) (test value …) body …)` is a named let. */
const doForm: Form = ([bindings = nil, ending = nil, ...body], form, target, compiler) => {
  const loop = hidden('do')
  const firsts: Value[] = []
  const nexts: Value[] = []
  for (const binding of itemsOf(bindings) ?? [nil]) {
    const [name, first, next = name] = itemsOf(binding) ?? []
    if (name === undefined || first === undefined || next === undefined) {
      compiler.fail(
        form,
        'a binding of do must be (name first next)',
        'Write (do ((i 0 (+ i 1))) …).',
      )
      return
    }
    firsts.push(listOf([name, first]))
    nexts.push(next)
  }
  const [test, ...values] = itemsOf(ending) ?? []
  if (test === undefined) {
    compiler.fail(form, 'do needs a test', 'Write (do ((i 0 (+ i 1))) ((= i 3) i) …).')
    return
  }
  const again = new Pair(new Sym('begin'), listOf([...body, listOf([loop, ...nexts])]))
  const result = new Pair(new Sym('begin'), listOf(values))
  const choice = listOf([new Sym('if'), test, result, again])
  namedLet(loop, [listOf(firsts), choice], form, target, compiler)
}

/** `(guard (e clause …) body …)`: both parts are procedures that the machine calls. */
const guardForm: Form = ([spec = nil, ...body], form, target, compiler) => {
  const [name, ...clauses] = itemsOf(spec) ?? []
  if (!(name instanceof Sym)) {
    compiler.fail(form, 'guard needs a name', "Write (guard (e (#t 'failed)) body).")
    return
  }
  const hasElse = clauses.some(clause => clause instanceof Pair && isWord(clause.car, 'else'))
  const again = listOf([new Sym('else'), listOf([new Control('raise'), name])])
  const all = hasElse ? clauses : [...clauses, again]
  const handler = new Pair(new Sym('cond'), listOf(all))
  compiler.procedure('guard', listOf([name]), [handler], target, form)
  compiler.procedure('guard', nil, body, target, form)
  target.builder.constant(new Control('with-handler'))
  compiler.call(2, target, form)
}

const quoteForm: Form = ([datum = nil], _form, target, compiler) => compiler.constant(datum, target)

const misplaced: Form = (_items, form, _target, compiler) =>
  compiler.fail(form, 'this form stands outside of its place', 'Use it inside of ` or cond.')

const declared: Readonly<Record<string, Declared>> = {
  quote: { usage: '(quote datum)', least: 1, most: 1, compile: quoteForm },
  quasiquote: {
    usage: '(quasiquote template)',
    least: 1,
    most: 1,
    compile: ([template = nil], _form, target, compiler) => compiler.quasiquote(template, target),
  },
  unquote: { usage: ',value', least: 0, compile: misplaced },
  'unquote-splicing': { usage: ',@list', least: 0, compile: misplaced },
  else: { usage: '(else value)', least: 0, compile: misplaced },
  '=>': { usage: '(test => procedure)', least: 0, compile: misplaced },
  if: { usage: '(if test yes no)', least: 2, most: 3, compile: ifForm },
  define: { usage: '(define name value)', least: 2, compile: defineForm },
  'set!': { usage: '(set! name value)', least: 2, most: 2, compile: setForm },
  lambda: { usage: '(lambda (x) body)', least: 2, compile: lambdaForm },
  let: { usage: '(let ((x 1)) body)', least: 2, compile: letForm },
  'let*': { usage: '(let* ((x 1) (y x)) body)', least: 2, compile: letStarForm },
  letrec: { usage: '(letrec ((f (lambda …))) body)', least: 2, compile: letrecForm },
  'letrec*': { usage: '(letrec* ((f (lambda …))) body)', least: 2, compile: letrecForm },
  begin: {
    usage: '(begin expression …)',
    least: 0,
    compile: (items, _form, target, compiler) => compiler.sequence(items, target),
  },
  cond: { usage: '(cond (test value) (else value))', least: 1, compile: condForm },
  case: { usage: '(case key ((datum) value) (else value))', least: 1, compile: caseForm },
  and: { usage: '(and test …)', least: 0, compile: logicForm(op.jumpIfFalseKeep, true) },
  or: { usage: '(or test …)', least: 0, compile: logicForm(op.jumpIfTrueKeep, false) },
  when: { usage: '(when test body)', least: 2, compile: whenForm(true) },
  unless: { usage: '(unless test body)', least: 2, compile: whenForm(false) },
  do: { usage: '(do ((i 0 (+ i 1))) ((= i 3) i) body)', least: 2, compile: doForm },
  guard: { usage: '(guard (e (test value)) body)', least: 2, compile: guardForm },
}

export const isFormName = (name: string) => Object.hasOwn(declared, name)

export function compileForm(
  name: string,
  form: Pair,
  items: readonly Value[],
  target: Target,
  compiler: Compiler,
): void {
  const { usage, least, most = Number.POSITIVE_INFINITY, compile } = declared[name] as Declared
  const rest = items.slice(1)
  if (rest.length < least || rest.length > most) {
    compiler.fail(form, `${name} has the wrong number of parts`, `Write ${usage}.`)
    return
  }
  compile(rest, form, target, compiler)
}
