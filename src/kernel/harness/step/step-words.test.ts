import { expect, test } from 'vitest'
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { readStepRow } from './step-row.ts'
import { stepWords } from './step-words.ts'

const ended = (resultClass: string, action = 'harness.step') =>
  stepWords(
    readStepRow({
      schema: 1,
      stepKind: 'premath.harness.step.v1',
      stepId: 's',
      action,
      resultClass,
      finishedAt: '2026-02-22T00:00:00Z',
    }) as StepRow,
  )

test.each([
  ['completed', 'closed'],
  ['in_review', 'verified, in review'],
  ['check_failed', 'check failed'],
  ['retry_needed_check_failed', 'check failed'],
  ['retry_needed_landing_conflict', 'conflict'],
  ['retry_needed_command_timeout', 'timed out'],
  ['landing_parked', 'verified, waits to land'],
  ['retry_needed_interrupted', 'interrupted'],
  ['tool.result_missing', 'failed: tool.result_missing'],
  ['constructor', 'failed: constructor'],
])('%s is %s', (resultClass, words) => {
  expect(ended(resultClass)).toBe(words)
})

test('only an attempt closes an issue', () => {
  expect(ended('completed', 'worker.loop')).toBe('done')
  expect(ended('ok', 'harness.stop')).toBe('handed over')
})
