/** Evaluates a compiled expression within its budget. Errors are returned, not thrown. */
import type { Budget } from './budget.ts'
import type { Compiled } from './compile.ts'
import { Machine } from './machine.ts'
import { Meter } from './meter.ts'
import type { Regex } from './regex.ts'
import { resultOf } from './result.ts'
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
  const meter = new Meter(budget, now)
  const machine = new Machine(compiled.code, compiled.path, { subject, meter, regex })
  const computed = machine.run()
  if (computed instanceof Failure) return computed.at(machine.path)
  const value = computed === subject ? subject : resultOf(computed, budget.maxSize, meter)
  if (!(value instanceof Failure)) return { value }
  return value.at(compiled.path)
}

export function isSpecError(
  outcome: { readonly value: SpecValue } | SpecError,
): outcome is SpecError {
  return 'category' in outcome
}

/** Checks the size of an expression before it runs. */
export function sizeExceeded(compiled: Compiled, budget: Budget): SpecError | undefined {
  const { nodes, literalBytes, path } = compiled
  if (nodes > budget.maxNodes) return budgetExceeded('nodes').at(path)
  if (literalBytes > budget.maxLiteralBytes) return budgetExceeded('literal_size').at(path)
  return undefined
}
