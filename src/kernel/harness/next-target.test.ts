import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import { type Issue, readIssue } from '../issues/issue.ts'
import { IssueMemory } from '../issues/issue-memory.ts'
import { chooseTarget } from './next-target.ts'

const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n
const issue = (id: string, more: object = {}) => readIssue({ id, title: id, ...more }) as Issue
const leased = (id: string, owner: string, until: string, more: object = {}) =>
  issue(id, {
    ...more,
    status: 'in_progress',
    assignee: owner,
    lease: {
      lease_id: 'l',
      owner,
      acquired_at: '2026-02-22T10:00:00Z',
      expires_at: `2026-02-22T${until}:00Z`,
    },
  })

function memoryOf(...rows: Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return memory
}

describe('the next target', () => {
  test('is the issue that the worker holds, before any ready one', () => {
    const memory = memoryOf(issue('bd-1', { priority: 0 }), leased('bd-2', 'w', '13:00'))
    expect(chooseTarget(memory, 'w', noon).target).toMatchObject({ issueId: 'bd-2', why: 'held' })
    expect(chooseTarget(memory, 'x', noon).target).toMatchObject({ issueId: 'bd-1', why: 'ready' })
  })

  test('is abandoned work, in its place among the ready issues', () => {
    const memory = memoryOf(leased('bd-1', 'gone', '11:00'), issue('bd-2'))
    expect(chooseTarget(memory, 'w', noon).target).toMatchObject({
      issueId: 'bd-1',
      why: 'reclaim',
    })
  })

  test('is not an issue that is landing, whoever holds it', () => {
    const landing = { metadata: { premathLanding: aLanding } }
    const memory = memoryOf(
      leased('bd-1', 'w', '13:00', landing),
      leased('bd-2', 'gone', '11:00', landing),
      issue('bd-3', landing),
      issue('bd-4'),
    )
    expect(chooseTarget(memory, 'w', noon).target).toMatchObject({ issueId: 'bd-4', why: 'ready' })
  })

  test('is not an issue assigned to somebody else', () => {
    const memory = memoryOf(issue('bd-1', { assignee: 'ann' }), issue('bd-2', { assignee: 'w' }))
    expect(chooseTarget(memory, 'w', noon).target).toMatchObject({ issueId: 'bd-2' })
    const others = memoryOf(issue('bd-1', { assignee: 'ann' }))
    expect(chooseTarget(others, 'w', noon)).toEqual({
      target: undefined,
      passedOver: [{ issueId: 'bd-1', failureClass: 'lease_contention_active' }],
      passedOverCount: 1,
    })
  })
})
