import { describe, expect, test } from 'vitest'
import { mustMatchShape } from '../../../testing/must-match-shape.ts'
import type { ClaimJournal, StepJournal } from '../../../wire/harness/step-journal.ts'
import { StepJournalLine } from '../../../wire/harness/step-journal.ts'
import { parseJson } from '../../json.ts'
import { isStepJournal, printJournal, readJournal, stepAfterClaim } from './step-journal.ts'

const claim: ClaimJournal = {
  workerId: 'w',
  held: [{ issueId: 'bd-1', fence: 3 }],
  startedAt: '2026-02-22T12:00:00Z',
  sessionPath: '/p/.premath/harness_session.json',
  ledgerPath: '/p/.premath/harness_feature_ledger.json',
}

const step: StepJournal = {
  stepId: 'w.bd-1.3.2',
  workerId: 'w',
  issueId: 'bd-1',
  leaseId: 'lease1_bd-1_w',
  fence: 3,
  attempt: 2,
  startedAt: '2026-02-22T12:00:00Z',
  sessionPath: '/p/.premath/harness_session.json',
  ledgerPath: '/p/.premath/harness_feature_ledger.json',
  group: { id: 7, startedAt: '1', mark: 'm' },
}

const read = (text: string) => readJournal(parseJson(text), '/p/j.json')

describe('a journal', () => {
  test.each([
    ['of a step', step, true],
    ['of a claim', claim, false],
    ['of a claim by somebody who holds nothing', { ...claim, held: [] }, false],
  ])('%s comes back as it was written, and complies with its schema', (_, journal, isStep) => {
    const found = read(printJournal(journal))
    expect(found).toEqual(journal)
    expect(isStepJournal(found)).toBe(isStep)
    mustMatchShape(StepJournalLine, JSON.parse(printJournal(journal)))
  })

  test.each([
    ['an unknown kind', { journalKind: 'x' }, /journalKind/],
    ['no worker', { workerId: ' ' }, /workerId must not be blank/],
    ['a lease that is not text', { leaseId: 7 }, /leaseId must be text/],
    [
      'a time that is none',
      { startedAt: 'noon' },
      /startedAt must be an RFC 3339 time, not "noon"/,
    ],
    ['a fence that is no number', { fence: 'x' }, /fence must be a whole number from 0/],
    ['half a try', { attempt: 1.5 }, /attempt must be a whole number from 1/],
  ])('of a step with %s is refused and named', (_, change, why) => {
    const text = JSON.stringify({ ...JSON.parse(printJournal(step)), ...change })
    expect(() => read(text)).toThrow(why)
    expect(() => read(text)).toThrow('the step journal /p/j.json is not valid')
  })

  test('of neither a step nor a claim is refused', () => {
    const { held: _held, ...rest } = JSON.parse(printJournal(claim))
    expect(() => read(JSON.stringify(rest))).toThrow('held is missing')
  })
})

test('an interrupted claim is the first attempt under its fence', () => {
  const { group: _group, ...begun } = step
  expect(
    stepAfterClaim(claim, { issueId: 'bd-1', fence: 3 }, { leaseId: 'lease1_bd-1_w', attempt: 1 }),
  ).toEqual({
    ...begun,
    stepId: 'w.bd-1.3.1',
    attempt: 1,
  })
})
