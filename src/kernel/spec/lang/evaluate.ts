/** Evaluates a compiled expression within its budget. Whatever goes wrong is returned. */
import type { Budget } from './budget.ts'
import type { Compiled } from './compile.ts'
import { asValue } from './item.ts'
import { Machine } from './machine.ts'
import { Meter } from './meter.ts'
import type { Regex } from './regex.ts'
import { budgetExceeded, Failure, type SpecError } from './spec-error.ts'
import type { SpecValue } from './value.ts'

export interface Evaluation {
  readonly subject: SpecValue
  readonly budget: Budget
  /** A clock in milliseconds. */
  readonly now: () => number
  readonly regex: Regex
}

export function evaluate(
  compiled: Compiled,
  { subject, budget, now, regex }: Evaluation,
): { readonly value: SpecValue } | SpecError {
  const large = sizeExceeded(compiled, budget)
  if (large !== undefined) return large
  const machine = new Machine(compiled.code, compiled.path, {
    subject,
    meter: new Meter(budget, now),
    regex,
  })
  const result = machine.run()
  if (result instanceof Failure) {
    return { category: result.category, message: result.message, path: machine.path }
  }
  const value = compiled.makesFunctions ? asValue(result) : (result as SpecValue)
  return value === undefined ? { ...functionResult, path: compiled.path } : { value }
}

export function isSpecError(
  outcome: { readonly value: SpecValue } | SpecError,
): outcome is SpecError {
  return 'category' in outcome
}

/** What is wrong with the size of an expression, before anything of it is run. */
export function sizeExceeded(compiled: Compiled, budget: Budget): SpecError | undefined {
  const { nodes, literalBytes, path } = compiled
  if (nodes > budget.maxNodes) return { ...budgetExceeded('nodes'), path }
  if (literalBytes > budget.maxLiteralBytes) return { ...budgetExceeded('literal_size'), path }
  return undefined
}

const functionResult: SpecError = {
  category: 'schema',
  message: 'spec_lang result must be a JSON value, got a function; call it with all its arguments',
}
