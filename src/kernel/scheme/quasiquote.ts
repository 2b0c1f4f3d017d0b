/** Compiles the templates of quasi-quotation to calls that build them. */
import { append, cons, listToVector } from './builtins/lists.ts'
import type { Compiler } from './compile.ts'
import type { Target } from './target.ts'
import { listOf, nil, Pair, Sym, type Value, Vector } from './value.ts'

/** `depth` counts the quasi-quotations around; an unquotation counts only in the first. */
export function quasiquoted(template: Value, target: Target, compiler: Compiler, depth = 1): void {
  if (template instanceof Vector) {
    quasiquoted(listOf(template.items), target, compiler, depth)
    compiler.callConstant(listToVector, 1, target, template)
    return
  }
  if (!(template instanceof Pair) || isFixed(template)) {
    compiler.constant(template, target)
    return
  }
  const marked = markOf(template)
  if (marked !== undefined) {
    nested(marked, template, target, compiler, depth)
    return
  }
  const calls: Value[] = []
  let rest: Value = template
  // `(a . ,b)` is `(a unquote b)`.
  for (; rest instanceof Pair && markOf(rest) === undefined; rest = rest.cdr) {
    const spliced = rest.car instanceof Pair ? markOf(rest.car) : undefined
    if (spliced?.mark === 'unquote-splicing' && depth === 1) {
      compiler.expression(spliced.form, target)
      calls.push(append)
    } else {
      quasiquoted(rest.car, target, compiler, depth)
      calls.push(cons)
    }
  }
  quasiquoted(rest, target, compiler, depth)
  for (const call of calls.toReversed()) compiler.callConstant(call, 2, target, template)
}

interface Marked {
  readonly mark: string
  readonly form: Value
}

function nested(
  { mark, form }: Marked,
  template: Pair,
  target: Target,
  compiler: Compiler,
  depth: number,
): void {
  if (mark === 'unquote-splicing' && depth === 1) {
    compiler.fail(template, ',@ stands outside of a list', 'Use , here, or put it into a list.')
  } else if (mark === 'unquote' && depth === 1) {
    compiler.expression(form, target)
  } else {
    compiler.constant(template.car, target)
    quasiquoted(form, target, compiler, mark === 'quasiquote' ? depth + 1 : depth - 1)
    compiler.constant(nil, target)
    compiler.callConstant(cons, 2, target, template)
    compiler.callConstant(cons, 2, target, template)
  }
}

const marks = ['quasiquote', 'unquote', 'unquote-splicing']

function markOf({ car, cdr }: Pair): Marked | undefined {
  if (!(car instanceof Sym) || !marks.includes(car.name)) return undefined
  return cdr instanceof Pair && cdr.cdr === nil ? { mark: car.name, form: cdr.car } : undefined
}

/** Nothing in it is unquoted, so it is a constant. The reader bounds the depth. */
function isFixed(template: Value): boolean {
  for (let rest = template; rest instanceof Pair; rest = rest.cdr) {
    if (markOf(rest) !== undefined) return false
    if (rest.car instanceof Vector ? !rest.car.items.every(isFixed) : !isFixed(rest.car))
      return false
  }
  return true
}
