import { expect, test } from 'vitest'
import { isRefusal, issueNotFound, refuse } from './issue-refusal.ts'

test('a refusal has a class, a diagnostic and a remedy', () => {
  const refusal = refuse('lease_stale', 'it ran out', 'Claim it again.')
  expect(refusal).toEqual({
    failureClass: 'lease_stale',
    diagnostic: 'it ran out',
    remedy: 'Claim it again.',
  })
  expect(isRefusal(refusal)).toBe(true)
})

test('a change is not a refusal', () => {
  expect(isRefusal({ rows: [], issue: undefined })).toBe(false)
})

test('the refusal of an unknown id names the command that lists ids', () => {
  expect(issueNotFound('bd-9')).toMatchObject({
    failureClass: 'issue_not_found',
    diagnostic: 'issue not found: bd-9',
    remedy: expect.stringContaining('premath issue list'),
  })
})
