import { expect, test } from 'vitest'
import { type Issue, readIssue } from '../issues/issue.ts'
import { IssueMemory } from '../issues/issue-memory.ts'
import { instantOf } from '../timestamp.ts'
import { issueInWork } from './issue-in-work.ts'

const now = instantOf('2026-02-22T12:00:00Z') ?? 0n

const claimed = (id: string, owner: string, until = '13:00:00') => ({
  id,
  title: id,
  status: 'in_progress',
  assignee: owner,
  lease: {
    lease_id: `lease-${id}`,
    owner,
    acquired_at: '2026-02-22T11:00:00Z',
    expires_at: `2026-02-22T${until}Z`,
  },
})
const open = (id: string) => ({ id, title: id, status: 'open' })

function inWork(
  rows: readonly object[],
  { workerId, sessionIssueId }: { workerId?: string; sessionIssueId?: string } = {},
): string | undefined {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(readIssue(row as never) as Issue)
  return issueInWork(memory, { workerId, sessionIssueId }, now)?.id
}

test('the only claim is the issue in work', () => {
  expect(inWork([open('a'), claimed('b', 'ann')])).toBe('b')
  expect(inWork([open('a')])).toBeUndefined()
  expect(inWork([claimed('a', 'ann'), claimed('b', 'bob')])).toBeUndefined()
  expect(inWork([claimed('a', 'ann', '11:59:00')])).toBeUndefined()
})

test('a worker is briefed on its own claim, never on that of another', () => {
  const rows = [claimed('a', 'ann'), claimed('b', 'bob')]
  expect(inWork(rows, { workerId: 'bob' })).toBe('b')
  expect(inWork(rows, { workerId: 'bob', sessionIssueId: 'a' })).toBe('b')
  expect(inWork([claimed('a', 'ann')], { workerId: 'bob' })).toBeUndefined()
})

test('the issue of the session counts while it is claimed, or if nothing is', () => {
  const rows = [open('a'), claimed('b', 'bob'), claimed('c', 'cid')]
  expect(inWork(rows, { sessionIssueId: 'c' })).toBe('c')
  expect(inWork([open('a')], { sessionIssueId: 'a' })).toBe('a')
  expect(inWork([open('a'), claimed('b', 'bob')], { sessionIssueId: 'a' })).toBe('b')
  expect(inWork([{ ...open('a'), status: 'closed' }], { sessionIssueId: 'a' })).toBeUndefined()
})
