import { expect, test } from 'vitest'
import { instantOf } from '../timestamp.ts'
import { type Issue, readIssue } from './issue.ts'
import { isContended, leaseStateAt } from './lease-state.ts'

const lease = {
  lease_id: 'l',
  owner: 'ada',
  acquired_at: '2026-01-01T00:00:00Z',
  expires_at: '2026-01-01T01:00:00Z',
}
const at = (time: string) => instantOf(`2026-01-01T${time}Z`) ?? 0n
const issue = (more: object) =>
  readIssue({
    id: 'a',
    title: 'a',
    status: 'in_progress',
    assignee: 'ada',
    lease,
    ...more,
  }) as Issue

test('a lease is held until it ends, and not at its end', () => {
  expect(leaseStateAt(undefined, 0n)).toBe('unleased')
  expect(leaseStateAt(lease, at('00:59:59.999999999'))).toBe('active')
  expect(leaseStateAt(lease, at('01:00:00'))).toBe('stale')
})

test('a held lease is contended if the issue disagrees', () => {
  const now = at('00:30:00')
  expect(isContended(issue({}), now)).toBe(false)
  expect(isContended(issue({ assignee: 'bob' }), now)).toBe(true)
  expect(isContended(issue({ status: 'open' }), now)).toBe(true)
  expect(isContended(issue({ status: 'open' }), at('02:00:00'))).toBe(false)
})
