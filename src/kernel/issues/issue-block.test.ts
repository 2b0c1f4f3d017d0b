import { describe, expect, test } from 'vitest'
import { type Issue, readIssue } from './issue.ts'
import { blockIssue } from './issue-change.ts'
import { IssueMemory } from './issue-memory.ts'
import { isRefusal } from './issue-refusal.ts'

const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n

function blocked(row: object): Issue {
  const memory = new IssueMemory()
  memory.put(readIssue({ id: 'bd-1', title: 't', ...row }) as Issue)
  const made = blockIssue(memory, 'bd-1', 'it failed', noon)
  if (isRefusal(made)) throw new Error(made.diagnostic)
  return made.issue
}

const lease = {
  lease_id: 'l',
  owner: 'ann',
  acquired_at: '2026-02-22T11:00:00Z',
  expires_at: '2026-02-22T13:00:00Z',
}

describe('an issue that is blocked', () => {
  test('has neither the lease nor the name of who worked on it', () => {
    const issue = blocked({ status: 'in_progress', assignee: 'ann', lease })
    expect(issue).toMatchObject({ status: 'blocked', assignee: '', notes: 'it failed' })
    expect(issue.lease).toBeUndefined()
  })

  test('stays with whom somebody named for it', () => {
    expect(blocked({ assignee: 'bob' })).toMatchObject({ status: 'blocked', assignee: 'bob' })
  })
})
