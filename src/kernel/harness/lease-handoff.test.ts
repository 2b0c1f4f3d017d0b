import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Issue, readIssue } from '../issues/issue.ts'
import { handoffState, leaseRef, recoveryOf } from './lease-handoff.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const at = (time: string) => BigInt(Date.parse(time)) * 1_000_000n
const noon = at('2026-02-22T12:00:00Z')

const lease = (until: string) => ({
  lease_id: 'l',
  owner: 'w',
  acquired_at: '2026-02-22T11:00:00Z',
  expires_at: until,
})
const issue = (more: object) => readIssue({ id: 'bd-1', title: 't', ...more }) as Issue

describe('the end of a step', () => {
  const later = lease('2026-02-22T13:00:00Z')
  test.each([
    ['missing_issue', undefined],
    ['closed_with_lease', issue({ status: 'closed', lease: later })],
    ['released', issue({ status: 'closed' })],
    ['unleased', issue({ status: 'in_progress' })],
    [
      'stale',
      issue({ status: 'in_progress', assignee: 'w', lease: lease('2026-02-22T12:00:00Z') }),
    ],
    ['contended', issue({ status: 'open', assignee: 'w', lease: later })],
    ['contended', issue({ status: 'in_progress', assignee: 'x', lease: later })],
    ['active', issue({ status: 'in_progress', assignee: 'w', lease: later })],
  ] as const)('leaves the lease %s', (state, row) => {
    expect(handoffState(row, noon)).toBe(state)
    expect(recoveryOf(state).resultClass).toMatch(/^(retry_needed|failed)_/)
  })

  test('is recorded by the ref of earlier tools, to the digest', () => {
    const ref = leaseRef(
      {
        issueId: 'bd-1',
        workerId: 'worker.1',
        leaseId: 'lease1_bd-1_worker_1',
        leaseOwner: 'worker.1',
        leaseState: 'active',
        leaseAction: 'issue_lease_renew',
        status: 'in_progress',
        assignee: 'worker.1',
      },
      sha256,
    )
    expect(ref).toBe(
      'lease://handoff/bd-1/active/ed7844172216c26f4fdebb0c6b4e6b0e286bf3646bbd1a1e9e05f195f192bb73',
    )
  })
})
