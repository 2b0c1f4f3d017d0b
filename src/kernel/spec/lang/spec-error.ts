/** Errors of specs as values, with a category. */

/**
 * `schema`: the author's mistake. `assertion`: the tested behaviour. `runtime`: the run itself, budgets included.
 */
export type SpecCategory = 'schema' | 'assertion' | 'runtime'

export interface SpecError {
  readonly category: SpecCategory
  readonly message: string
  /** The form that failed, such as `assert[0].must[0].evaluate[1].std.math.div[1]`. */
  readonly path?: string
  /** What to do about it, where the message does not say it. */
  readonly hint?: string
}

/** Of what is either a value or all that is wrong with it. */
export const isErrors = <T extends object>(
  found: T | readonly SpecError[],
): found is readonly SpecError[] => Array.isArray(found)

/** An error on its way out of an expression: told apart from every value an expression can have. */
export class Failure {
  readonly category: SpecCategory
  readonly message: string
  readonly hint: string | undefined

  constructor(category: SpecCategory, message: string, hint?: string) {
    this.category = category
    this.message = message
    this.hint = hint
  }

  /** As it is told, with the form that failed. */
  at(path: string): SpecError {
    const { category, message, hint } = this
    return { category, message, path, ...(hint !== undefined && { hint }) }
  }
}

export const schemaFailure = (message: string, hint?: string) =>
  new Failure('schema', message, hint)

export type BudgetName = 'steps' | 'nodes' | 'literal_size' | 'timeout' | 'size' | 'depth'

const budgetKeyOf: Readonly<Record<BudgetName, string>> = {
  steps: 'max_steps',
  nodes: 'max_nodes',
  literal_size: 'max_literal_bytes',
  timeout: 'timeout_ms',
  size: 'max_size',
  depth: 'max_depth',
}

export function budgetExceeded(name: BudgetName): Failure {
  const hint = `Ask for less, or allow more with harness.spec_lang.${budgetKeyOf[name]}.`
  return new Failure('runtime', `spec_lang budget exceeded: ${name}`, hint)
}
