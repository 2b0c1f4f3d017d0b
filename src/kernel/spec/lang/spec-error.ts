/** What can go wrong in a spec, as a value. Who made the mistake is the category. */

/** `schema`: the author's; `assertion`: what was tested; `runtime`: the run itself, budgets too. */
export type SpecCategory = 'schema' | 'assertion' | 'runtime'

export interface SpecError {
  readonly category: SpecCategory
  readonly message: string
  /** The form that failed, such as `assert[0].must[0].evaluate[1].std.math.div[1]`. */
  readonly path?: string
}

/** Of what is either a value or all that is wrong with it. */
export const isErrors = <T extends object>(
  found: T | readonly SpecError[],
): found is readonly SpecError[] => Array.isArray(found)

/** An error on its way out of an expression: told apart from every value an expression can have. */
export class Failure {
  readonly category: SpecCategory
  readonly message: string

  constructor(category: SpecCategory, message: string) {
    this.category = category
    this.message = message
  }
}

export const schemaFailure = (message: string) => new Failure('schema', message)

export type BudgetName = 'steps' | 'nodes' | 'literal_size' | 'timeout' | 'size' | 'depth'

export function budgetExceeded(name: BudgetName): Failure {
  return new Failure('runtime', `spec_lang budget exceeded: ${name}`)
}
