/** A failure that the `expect` of a case wants is no problem of the case. */
import { failureOf } from '../case/check-case.ts'
import { expectedOutcome } from '../case/expect.ts'
import { ownImplementation } from '../case/requires.ts'
import { type ActualOutcome, disagreements } from '../conform.ts'
import { isError, type Problem, type RawCase } from '../document/raw-case.ts'

/** True if every implementation, or this one, is expected to fail like this. */
export const isExpectedFailure = (
  raw: RawCase,
  failure: Pick<ActualOutcome, 'category' | 'message'>,
): boolean =>
  ['', ownImplementation].some(implementation => {
    const expected = expectedOutcome(raw, implementation)
    if (expected?.status !== 'fail') return false
    return disagreements(expected, { status: 'fail', ...failure }).length === 0
  })

/** The problems of a case without errors that it expects. */
export function unexpectedProblems(raw: RawCase, problems: readonly Problem[]): readonly Problem[] {
  const errors = problems.filter(isError)
  if (errors.length === 0 || !isExpectedFailure(raw, failureOf(errors))) return problems
  return problems.filter(one => !isError(one))
}
