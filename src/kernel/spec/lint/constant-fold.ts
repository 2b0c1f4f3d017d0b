/**
 * Derives facts about the value of an expression that hold for every subject. An expression without
 * a rule is unknown.
 */
import { compileExpression } from '../lang/compile.ts'
import { type Evaluation, evaluate, isSpecError } from '../lang/evaluate.ts'
import type { Code } from '../lang/instruction.ts'
import { BuiltinFunction } from '../lang/item.ts'
import { printExpression } from '../lang/print-value.ts'
import { operatorNamed, type Scope } from '../lang/scope.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import { foreseeingRules } from './foreseeing-rules.ts'
import { constant, type Foreseen, unforeseen } from './foreseen.ts'

export interface Foresight {
  readonly subject: Foreseen
  readonly scope: Scope
  /** Evaluates parts without a subject. */
  readonly evaluation: Omit<Evaluation, 'subject'>
}

export function foresee(expression: SpecValue, sight: Foresight): Foreseen {
  const known = withoutSubject(expression, sight)
  if (known !== undefined) return known
  if (!isMapping(expression)) return unforeseen
  const [entry] = expression
  if (entry === undefined || expression.size > 1) return unforeseen
  const [name, operand] = entry
  if (name === 'var') {
    return operand === 'subject' && sight.scope.hasSubject ? sight.subject : unforeseen
  }
  if (!isList(operand)) return unforeseen
  if (name === 'if') return foreseeIf(operand, sight)
  return foreseeOperator(name, operand, sight)
}

/** The language is pure: a part without the subject has the same value in every run. */
export function withoutSubject(
  expression: SpecValue,
  { scope, evaluation }: Foresight,
): Foreseen | undefined {
  const compiled = compileExpression(expression, { path: '', scope })
  if ('length' in compiled || compiled.doubts.length > 0 || looks(compiled.code)) return undefined
  const outcome = evaluate(compiled, { ...evaluation, subject: null })
  // A part that cannot be a result may still be a function.
  return isSpecError(outcome) ? undefined : constant(outcome.value)
}

/** Library functions can read the subject, so calls of them may. */
export const looks = (code: Code): boolean =>
  code.some(one => {
    if (one.op === 'closure') return looks(one.code)
    if (one.op === 'builtin') return one.builtin.name === subjectName
    if (one.op === 'value') {
      return one.value instanceof BuiltinFunction && one.value.builtin.name === subjectName
    }
    return one.op === 'subject' || one.op === 'symbol'
  })

const subjectName = 'std.core.subject'

function foreseeIf(operand: readonly SpecValue[], sight: Foresight): Foreseen {
  const [condition, then, otherwise] = operand.map(one => foresee(one, sight))
  if (!condition || !then || !otherwise || operand.length > 3) return unforeseen
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

function foreseeOperator(name: string, operand: readonly SpecValue[], sight: Foresight): Foreseen {
  const builtin = operatorNamed(name, sight.scope)
  if (builtin === undefined) return unforeseen
  if (builtin.name === subjectName && operand.length === 0) return sight.subject
  const isShort = builtin.subjectFirst && operand.length === builtin.arity - 1
  const sources = isShort ? [subjectForm, ...operand] : operand
  if (builtin.lazy === undefined && sources.length !== builtin.arity) return unforeseen
  const args = sources.map(one => foresee(one, sight))
  const texts = sources.map(printExpression)
  const negated = sources.map(one => negatedIn(one, sight.scope))
  const { regex, budget } = sight.evaluation
  const rule = foreseeingRules[builtin.name]
  const found = rule?.({ args, texts, negated, regex, limitMs: budget.timeoutMs || Infinity })
  // A builtin returns a function only if it got one.
  return found ?? { ...unforeseen, isData: args.every(({ isData }) => isData) }
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
