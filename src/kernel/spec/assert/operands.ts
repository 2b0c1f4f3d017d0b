/** The values of the operands of an expression that does not hold. */

import type { Secrets } from '../../text/secrets.ts'
import { compileExpression } from '../lang/compile.ts'
import { type Evaluation, evaluate, isSpecError } from '../lang/evaluate.ts'
import { hiddenIn } from '../lang/hidden-value.ts'
import { isTruthy } from '../lang/item.ts'
import { printExpression } from '../lang/print-value.ts'
import { operatorNamed, type Scope } from '../lang/scope.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { shortened, textOf, writingOf } from './written-value.ts'

export interface Operand {
  readonly expression: string
  /** Shortened: a text in quotes, any other value as JSON. */
  readonly value: string
}

const operandsMax = 8
const charsShown = 200

/** The operands that decided: those of the part of an `and` that is false, for example. */
export function operandsOf(
  source: SpecValue,
  scope: Scope,
  evaluation: Evaluation,
  secrets: Secrets,
): readonly Operand[] {
  const found = new Operands(scope, evaluation, secrets)
  found.visit(source, body => body)
  return found.operands.slice(0, operandsMax)
}

/** The value of a part of an expression; `undefined` if it has none by itself. */
export function partValue(
  source: SpecValue,
  scope: Scope,
  evaluation: Evaluation,
): SpecValue | undefined {
  const compiled = compileExpression(source, { path: '', scope })
  if ('length' in compiled) return undefined
  const outcome = evaluate(compiled, evaluation)
  return isSpecError(outcome) ? undefined : outcome.value
}

/** Puts a part of an expression into the bindings around it. */
type Bind = (part: SpecValue) => SpecValue

class Operands {
  readonly #scope: Scope
  readonly #evaluation: Evaluation
  readonly #secrets: Secrets
  readonly operands: Operand[] = []

  constructor(scope: Scope, evaluation: Evaluation, secrets: Secrets) {
    this.#secrets = secrets
    this.#scope = scope
    this.#evaluation = evaluation
  }

  visit(source: SpecValue, bind: Bind): void {
    const [entry] = isMapping(source) ? source : []
    if (entry === undefined || !isList(entry[1])) return
    const [name, args] = entry
    if (name === 'let') this.#let(args, bind)
    else if (name === 'if') this.#if(args, bind)
    else if (name !== 'fn') this.#operator(name, args, bind)
  }

  #let([bindings = null, body = null]: readonly SpecValue[], bind: Bind): void {
    this.visit(body, part => bind(new Map([['let', [bindings, part]]])))
  }

  #if([condition = null, then = null, otherwise = null]: readonly SpecValue[], bind: Bind): void {
    const value = this.#show(condition, bind)
    if (value !== undefined) this.visit(isTruthy(value) ? then : otherwise, bind)
  }

  #operator(name: string, args: readonly SpecValue[], bind: Bind): void {
    const builtin = operatorNamed(name, this.#scope)
    const decides = builtin?.lazy ?? (builtin?.short === 'not' ? 'not' : undefined)
    if (decides === undefined || decides === 'coalesce') {
      for (const arg of args) this.#show(arg, bind)
      return
    }
    for (const arg of args) {
      const value = partValue(bind(arg), this.#scope, this.#evaluation)
      // The operands of `and` that hold do not explain why it does not.
      if (decides === 'and' && value !== undefined && isTruthy(value)) continue
      this.#show(arg, bind)
      this.visit(arg, bind)
      if (decides === 'and') return
    }
  }

  #show(source: SpecValue, bind: Bind): SpecValue | undefined {
    const value = partValue(bind(source), this.#scope, this.#evaluation)
    if (value === undefined || isLiteral(source) || isSubject(source)) return value
    const hidden = hiddenIn(value, this.#secrets)
    const shown = shortened(textOf(hidden), writingOf(hidden), charsShown)
    const expression = printExpression(hiddenIn(source, this.#secrets))
    const isKnown = this.operands.some(one => one.expression === expression)
    if (!isKnown) this.operands.push({ expression, value: shown })
    return value
  }
}

const isLiteral = (source: SpecValue) =>
  isMapping(source) ? source.size === 1 && source.has('lit') : !isList(source)

export function isSubject(form: SpecValue | undefined): boolean {
  if (!isMapping(form)) return false
  return form.get('var') === 'subject' || form.has('subject') || form.has('std.core.subject')
}
