import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import { type Issue, readIssue } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { examineMemory } from './memory.ts'

const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n

function found(premathLanding: object, until: string) {
  const memory = new IssueMemory()
  const lease = {
    lease_id: 'l',
    owner: 'ann',
    acquired_at: '2026-02-22T11:00:00Z',
    expires_at: `2026-02-22T${until}:00Z`,
  }
  const row = { id: 'bd-1', title: 'One', status: 'in_progress', assignee: 'ann', lease }
  memory.put(readIssue({ ...row, metadata: { premathLanding } } as never) as Issue)
  return examineMemory(memory, noon).findings.map(({ check, what, next }) => [check, what, next])
}

describe('a landing', () => {
  test('under a lease is no finding', () => {
    expect(found(aLanding, '12:30')).toEqual([])
  })

  test('whose lease has expired was cut off', () => {
    expect(found(aLanding, '11:30')).toEqual([
      [
        'leases',
        `the landing of bd-1 was cut off: commit ${aLanding.commit} on main`,
        'premath land bd-1 finishes it or takes it back.',
      ],
    ])
  })

  test('that cannot be read is a finding, whoever holds the issue', () => {
    const what = 'the landing of bd-1 cannot be read'
    const unread = ['leases', what, expect.stringContaining('metadata.premathLanding')]
    expect(found({ ...aLanding, commit: 1 }, '12:30')).toEqual([unread])
    expect(found({ ...aLanding, closedAt: 'later' }, '12:30')).toEqual([unread])
  })
})
