import { expect, test } from 'vitest'
import type { StepOutcome } from '../../../wire/harness/step-journal.ts'
import { nextStepAfter } from './next-step.ts'

const outcome = (more: Partial<StepOutcome>): StepOutcome => ({
  change: 'close',
  resultClass: 'close_proof_missing',
  failureClasses: ['close_proof_missing'],
  summary: '',
  finishedAt: '2026-02-22T00:00:00Z',
  durationMs: 0,
  commands: [],
  witnessRefs: [],
  ...more,
})
const step = { issueId: 'bd-1', workerId: "ann's" }
const refused = { remedy: 'Check it there again.' }

test('the worker that holds the lease continues, by its name in a shell', () => {
  const next = nextStepAfter(outcome({ change: 'keep' }), step, 'active')
  expect(next).toContain(`premath harness-step --worker 'ann'\\''s' --issue bd-1`)
})

test('the remedy of a refused change is the next step', () => {
  expect(nextStepAfter(outcome({}), step, 'active', refused)).toBe(refused.remedy)
})

test('a lost lease comes before the remedy of its refusal', () => {
  const lost = outcome({ failureClasses: ['lease_fence_stale'] })
  expect(nextStepAfter(lost, step, 'active', refused)).toContain('another worker may hold')
  const gone = nextStepAfter(outcome({}), step, 'missing_issue', refused)
  expect(gone).toBe('search for the issue: premath issue list')
})
