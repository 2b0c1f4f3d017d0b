/** Judges the outcome of a case by its `expect`. */
import { checkValue } from '../kernel/spec/case/check-shape.ts'
import { commonKeys } from '../kernel/spec/case/common-keys.ts'
import { type ExpectedOutcome, expectedOutcome } from '../kernel/spec/case/expect.ts'
import { disagreements } from '../kernel/spec/conform.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { CaseFailure, CaseOutcome } from './case-outcome.ts'

/**
 * A failure that the case expects is a pass, and a pass against its expectation is a failure. A
 * skipped case has no outcome to judge, and a case that expects to be skipped says nothing about
 * a runner that can run it.
 */
export function judgedByExpect(
  raw: RawCase,
  outcome: CaseOutcome,
  implementation: string,
): CaseOutcome {
  const expected = wellFormedExpect(raw, implementation)
  const { status, failure } = outcome
  if (expected === undefined || expected.status === 'skip') return outcome
  if (status === 'skip' || failure?.stopped) return outcome
  const { category = null, message = null } = failure ?? {}
  const differences = disagreements(expected, { status, category, message })
  if (differences.length === 0) return failure ? failedAsExpected(outcome, failure) : outcome
  // Its own failure says more.
  if (failure && expected.status === 'pass') return outcome
  return { ...outcome, status: 'fail', failure: unexpected(raw, differences, failure) }
}

/** The check of the shape reports any other. */
function wellFormedExpect(raw: RawCase, implementation: string): ExpectedOutcome | undefined {
  const written = raw.value.get('expect')
  const shape = commonKeys['expect']?.is ?? 'any'
  if (written === undefined || checkValue(written, shape, 'expect').length > 0) return undefined
  return expectedOutcome(raw, implementation)
}

export const disagreementText = (differences: readonly string[]): string =>
  `not as its expect says: ${differences.join('; ')}`

function failedAsExpected(outcome: CaseOutcome, expectedFailure: CaseFailure): CaseOutcome {
  const { failure: _failure, ...rest } = outcome
  return { ...rest, status: 'pass', expectedFailure }
}

function unexpected(
  { id }: RawCase,
  differences: readonly string[],
  failure: CaseFailure | undefined,
): CaseFailure {
  if (failure !== undefined) {
    const message = `${failure.message}\n  ${disagreementText(differences)}`
    return { ...failure, message, disagreements: differences }
  }
  return {
    category: 'assertion',
    message: `[case_id=${id}] passed against its expect: ${differences.join('; ')}`,
    hint: 'Change expect to what the case does, or correct the case.',
    path: 'expect',
    disagreements: differences,
  }
}
