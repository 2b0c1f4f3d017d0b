/** Errors of specs as values, with a category. */

/**
 * `schema`: an error in the spec. `assertion`: the tested behaviour is wrong. `runtime`: the run
 * failed, for example because a budget was exceeded.
 */
export type SpecCategory = 'schema' | 'assertion' | 'runtime'

export interface SpecError {
  readonly category: SpecCategory
  readonly message: string
  /** The form that failed, such as `assert[0].must[0].evaluate[1].std.math.div[1]`. */
  readonly path?: string
  /** How to fix it. */
  readonly hint?: string
}

/** Tells a list of errors from a value. */
export const isErrors = <T extends object>(
  found: T | readonly SpecError[],
): found is readonly SpecError[] => Array.isArray(found)

/** An error inside an expression. A class, so that no value of an expression looks like one. */
export class Failure {
  readonly category: SpecCategory
  readonly message: string
  readonly hint: string | undefined

  constructor(category: SpecCategory, message: string, hint?: string) {
    this.category = category
    this.message = message
    this.hint = hint
  }

  /** The error with the path of the form that failed. */
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
  const hint = `Simplify the expression, or raise harness.spec_lang.${budgetKeyOf[name]}.`
  return new Failure('runtime', `spec_lang budget exceeded: ${name}`, hint)
}
