import { describe, expect, test } from 'vitest'
import { instantOf } from '../timestamp.ts'
import { type Issue, readIssue } from './issue.ts'
import { decideChange, type IssueChange } from './issue-change.ts'
import { IssueMemory } from './issue-memory.ts'
import { isRefusal } from './issue-refusal.ts'

const now = instantOf('2026-02-22T00:00:00Z') ?? 0n
const lease = (lease_id: string, owner: string) => ({
  lease: {
    lease_id,
    owner,
    acquired_at: '2026-02-22T00:00:00Z',
    expires_at: '2026-02-22T01:00:00Z',
  },
  status: 'in_progress',
  assignee: owner,
})
const row = (id: string, more: object = {}): Issue => {
  const issue = readIssue({ id, title: id, status: 'open', ...more })
  if (!('id' in issue)) throw new Error('it is no row')
  return issue
}
/** Bob's issue had the id bd-2 before a merge. */
const bobs = (metadata: object = { premathFence: 1, premathMergedFrom: 'bd-2' }) =>
  row('bd-2-wsdu', { ...lease('lease1_bd-2_bob', 'bob'), metadata })

const proof = { leaseId: 'lease1_bd-2_bob', fence: 1 }
const update: IssueChange = { action: 'issue.update', id: 'bd-2', fields: { notes: 'x' }, proof }

function refusalOf(change: IssueChange, ...rows: readonly Issue[]) {
  const memory = new IssueMemory()
  for (const one of rows) memory.put(one)
  const decided = decideChange(memory, change, { now, newId: () => 'bd-9' })
  if (!isRefusal(decided)) throw new Error('it was not refused')
  return decided
}

describe('a refused lease whose issue has another id since a merge', () => {
  test.each<[string, IssueChange, object, string]>([
    ['an edit', update, {}, 'lease_missing'],
    [
      'an edit while another worker holds the id',
      update,
      lease('lease1_bd-2_ann', 'ann'),
      'lease_id_mismatch',
    ],
    ['an edit after more claims', update, { metadata: { premathFence: 3 } }, 'lease_fence_stale'],
    [
      'a renewal',
      { action: 'issue.lease_renew', id: 'bd-2', proof: { ...proof, assignee: 'bob' }, term: {} },
      {},
      'lease_missing',
    ],
    ['a release', { action: 'issue.lease_release', id: 'bd-2', proof }, {}, 'lease_missing'],
  ])('is named by the refusal of %s', (_, change, more, failureClass) => {
    const refusal = refusalOf(change, row('bd-2', more), bobs())
    expect(refusal.failureClass).toBe(failureClass)
    expect(refusal.diagnostic).toMatch(/^the lease lease1_bd-2_bob is of bd-2-wsdu now: a merge /)
    expect(refusal.remedy).toContain('with bd-2-wsdu in place of bd-2.')
  })

  test.each<[string, Issue]>([
    ['of an issue that never had the id', bobs({ premathFence: 1 })],
    ['with another name', row('bd-2-wsdu', { ...bobs(), ...lease('l', 'bob') })],
  ])('is not taken for one %s', (_, other) => {
    expect(refusalOf(update, row('bd-2'), other).diagnostic).toBe('bd-2 is not leased any more')
  })
})
