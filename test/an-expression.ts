/** Evaluates expressions of the spec language for tests. */
import type { Json } from '../src/kernel/json.ts'
import { type Budget, defaultBudget } from '../src/kernel/spec/lang/budget.ts'
import type { Offered } from '../src/kernel/spec/lang/builtin.ts'
import { compileExpression } from '../src/kernel/spec/lang/compile.ts'
import { evaluate } from '../src/kernel/spec/lang/evaluate.ts'
import type { StartTimer } from '../src/kernel/spec/lang/meter.ts'
import type { Regex } from '../src/kernel/spec/lang/regex.ts'
import { plainScope, type Scope } from '../src/kernel/spec/lang/scope.ts'
import { type SpecValue, toJson } from '../src/kernel/spec/lang/value.ts'
import { fromJson } from '../src/testing/spec-value.ts'

export interface Setting {
  readonly subject?: Json
  readonly budget?: Partial<Budget>
  readonly startTimer?: StartTimer
  readonly regex?: Regex
  readonly scope?: Scope
  readonly offered?: Offered
}

/** Sufficient for tests that are not about patterns. */
const nativeRegex: Regex = { test: (pattern, text) => new RegExp(pattern, 'u').test(text) }

/** The value as JSON, or the first error. */
export function outcomeOf(expression: Json, { subject = null, ...setting }: Setting = {}): unknown {
  return outcomeOfSource(fromJson(expression), fromJson(subject), setting)
}

/** Like `outcomeOf`, for values whose key order a plain object would not keep. */
export function outcomeOfSource(
  source: SpecValue,
  subject: SpecValue,
  {
    budget,
    startTimer = () => () => 0,
    regex = nativeRegex,
    scope = plainScope,
    offered,
  }: Omit<Setting, 'subject'>,
): unknown {
  const compiled = compileExpression(source, { path: 'evaluate[0]', scope })
  if ('length' in compiled) return compiled[0]
  const outcome = evaluate(compiled, {
    subject,
    offered,
    budget: { ...defaultBudget, ...budget },
    startTimer,
    regex,
  })
  return 'value' in outcome ? toJson(outcome.value) : outcome
}
