/**
 * Derives facts about the value of an expression that hold for every subject. An expression without
 * a rule is unknown.
 */
import { compileExpression } from '../lang/compile.ts'
import { type Evaluation, evaluate, isSpecError } from '../lang/evaluate.ts'
import type { Code } from '../lang/instruction.ts'
import { BuiltinFunction } from '../lang/item.ts'
import { Meter } from '../lang/meter.ts'
import { printExpression } from '../lang/print-value.ts'
import { operatorNamed, type Scope } from '../lang/scope.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { foldRules } from './fold-rules.ts'
import { constant, type StaticValue, unknownValue } from './static-value.ts'

export interface FoldInput {
  readonly subject: StaticValue
  readonly scope: Scope
  /** Evaluates parts without a subject. */
  readonly evaluation: Omit<Evaluation, 'subject'>
}

export function fold(expression: SpecValue, sight: FoldInput): StaticValue {
  const known = foldWithoutSubject(expression, sight)
  if (known !== undefined) return known
  if (!isMapping(expression)) return unknownValue
  const [entry] = expression
  if (entry === undefined || expression.size > 1) return unknownValue
  const [name, operand] = entry
  if (name === 'var') {
    return operand === 'subject' && sight.scope.hasSubject ? sight.subject : unknownValue
  }
  if (!isList(operand)) return unknownValue
  if (name === 'if') return foldIf(operand, sight)
  return foldOperator(name, operand, sight)
}

/** The language is pure: a part without the subject has the same value in every run. */
export function foldWithoutSubject(
  expression: SpecValue,
  { scope, evaluation }: FoldInput,
): StaticValue | undefined {
  const compiled = compileExpression(expression, { path: '', scope })
  if ('length' in compiled || compiled.doubts.length > 0 || readsSubject(compiled.code))
    return undefined
  const outcome = evaluate(compiled, { ...evaluation, subject: null })
  // A part that cannot be a result may still be a function.
  return isSpecError(outcome) ? undefined : constant(outcome.value)
}

/** Library functions can read the subject, so calls of them may. */
export const readsSubject = (code: Code): boolean =>
  code.some(one => {
    if (one.op === 'closure') return readsSubject(one.code)
    if (one.op === 'builtin') return one.builtin.name === subjectName
    if (one.op === 'value') {
      return one.value instanceof BuiltinFunction && one.value.builtin.name === subjectName
    }
    return one.op === 'subject' || one.op === 'symbol'
  })

const subjectName = 'std.core.subject'

function foldIf(operand: readonly SpecValue[], sight: FoldInput): StaticValue {
  const [condition, then, otherwise] = operand.map(one => fold(one, sight))
  if (!condition || !then || !otherwise || operand.length > 3) return unknownValue
  const taken = condition.truth === true ? then : condition.truth === false ? otherwise : undefined
  const mayFail = condition.mayFail || (taken ?? then).mayFail || (taken ?? otherwise).mayFail
  if (taken !== undefined) return { ...taken, mayFail }
  return {
    kinds: [...new Set([...then.kinds, ...otherwise.kinds])],
    truth: then.truth === otherwise.truth ? then.truth : undefined,
    mayFail,
    isData: then.isData && otherwise.isData,
  }
}

function foldOperator(name: string, operand: readonly SpecValue[], sight: FoldInput): StaticValue {
  const builtin = operatorNamed(name, sight.scope)
  if (builtin === undefined) return unknownValue
  if (builtin.name === subjectName && operand.length === 0) return sight.subject
  const isShort = builtin.subjectFirst && operand.length === builtin.arity - 1
  const sources = isShort ? [subjectForm, ...operand] : operand
  if (builtin.lazy === undefined && sources.length !== builtin.arity) return unknownValue
  const args = sources.map(one => fold(one, sight))
  const texts = sources.map(printExpression)
  const negated = sources.map(one => negatedIn(one, sight.scope))
  const { regex, budget, startTimer } = sight.evaluation
  const rule = foldRules[builtin.name]
  const found = rule?.({ args, texts, negated, regex, time: new Meter(budget, startTimer) })
  // A builtin returns a function only if it got one.
  return found ?? { ...unknownValue, isData: args.every(({ isData }) => isData) }
}

/** The operand of a `not`. */
function negatedIn(expression: SpecValue, scope: Scope): string | undefined {
  const inner = negatedForm(expression, scope)
  return inner === undefined ? undefined : printExpression(inner)
}

export function negatedForm(expression: SpecValue, scope: Scope): SpecValue | undefined {
  if (!isMapping(expression) || expression.size !== 1) return undefined
  const [[name, operand] = ['', null]] = expression
  if (!isList(operand) || operand.length !== 1) return undefined
  return operatorNamed(name, scope)?.name === 'std.logic.not' ? operand[0] : undefined
}

/** The default of an omitted first argument. */
const subjectForm: SpecValue = new Map([['std.core.subject', []]])
