/** Compares the outcome of a case with its `expect`. */
import type { ExpectedOutcome } from './case/expect.ts'
import type { SpecCategory } from './lang/spec-error.ts'

/** The actual outcome of a case. */
export interface ActualOutcome {
  readonly status: 'pass' | 'fail' | 'skip'
  readonly category: SpecCategory | null
  readonly message: string | null
}

/** The differences in words; empty if they agree. */
export function disagreements(
  expected: ExpectedOutcome | undefined,
  { status, category, message }: ActualOutcome,
): readonly string[] {
  if (expected === undefined) return ['the case has no expect']
  const missing = expected.messageTokens.filter(token => !(message ?? '').includes(token))
  return [
    ...(status === expected.status ? [] : [`status is ${status}, expected ${expected.status}`]),
    ...(category === expected.category
      ? []
      : [`category is ${category}, expected ${expected.category}`]),
    ...missing.map(token => `the message lacks ${JSON.stringify(token)}`),
  ]
}
