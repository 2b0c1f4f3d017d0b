/** Whether a run of a case ended as the case itself expects. */
import type { ExpectedOutcome } from './case/expect.ts'
import type { SpecCategory } from './lang/spec-error.ts'

/** How a run of a case ended. */
export interface ActualOutcome {
  readonly status: 'pass' | 'fail' | 'skip'
  readonly category: SpecCategory | null
  readonly message: string | null
}

/** Where the two differ, in words; none when they agree. */
export function disagreements(
  expected: ExpectedOutcome | undefined,
  { status, category, message }: ActualOutcome,
): readonly string[] {
  if (expected === undefined) return ['the case does not say what it expects']
  const missing = expected.messageTokens.filter(token => !(message ?? '').includes(token))
  return [
    ...(status === expected.status ? [] : [`status is ${status}, expected ${expected.status}`]),
    ...(category === expected.category
      ? []
      : [`category is ${category}, expected ${expected.category}`]),
    ...missing.map(token => `the message lacks ${JSON.stringify(token)}`),
  ]
}
