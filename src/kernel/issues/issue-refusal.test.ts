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

test.each([
  ['bd1', 'Did you mean bd-1?'],
  ['BD-1', 'Did you mean bd-1?'],
  ['2', 'Did you mean bd-2?'],
  // Two issues end with it.
  ['1', 'premath issue list shows every id.'],
  // Neither is the neighbour of a number, nor of nothing.
  ['bd-11', 'premath issue list shows every id.'],
  ['-', 'premath issue list shows every id.'],
])('the refusal of %s offers an id only if it is the same in other letters', (id, remedy) => {
  const all = () => [{ id: 'bd-1' }, { id: 'bd-2' }, { id: 'web-1' }]
  expect(issueNotFound(id, { all }).remedy).toBe(remedy)
})
