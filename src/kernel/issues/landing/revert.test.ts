import { expect, test } from 'vitest'
import { aLanding } from '../../../../test/a-landing.ts'
import { CloseProof } from '../../proof/close-proof.ts'
import { Landed } from '../../proof/landed.ts'
import { instantOf, seconds } from '../../timestamp.ts'
import { type Issue, printIssue, readIssueLine } from '../issue.ts'
import { decideChange, type IssueChange } from '../issue-change.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isRefusal } from '../issue-refusal.ts'
import { landingIssues, landingOf } from './landing-state.ts'
import { revertedOf } from './revert.ts'

const start = instantOf('2026-03-01T00:00:00Z') ?? 0n
const { commit: landed, close, target } = aLanding
const plan = { commit: 'd'.repeat(40), base: 'a'.repeat(40), tree: 'f'.repeat(40), target }

const closedRow = {
  id: 'bd-1',
  title: 'One',
  status: 'closed',
  assignee: 'ann',
  notes: 'Known before',
  closed_at: aLanding.closedAt,
  created_at: '2026-02-20T00:00:00Z',
  updated_at: aLanding.closedAt,
  metadata: { premathFence: 3, premathClose: close },
}

const begin = (given: object = {}): IssueChange => ({
  action: 'issue.revert_begin',
  id: 'bd-1',
  landing: plan,
  revert: { landed, reason: 'Breaks the export' },
  ...given,
})
const finish: IssueChange = {
  action: 'issue.land_finish',
  id: 'bd-1',
  landed: Landed.of({ issueId: 'bd-1', commit: plan.commit, target, isInTarget: true }),
}
const undo: IssueChange = { action: 'issue.land_undo', id: 'bd-1', commit: plan.commit }

/** An issue that landed, and one that waits for it. */
function memoryOf(members: object = {}) {
  const memory = new IssueMemory()
  const edge = { issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'blocks' }
  for (const row of [
    { ...closedRow, ...members },
    { id: 'bd-2', title: 'Two', dependencies: [edge] },
  ]) {
    memory.put(readIssueLine(JSON.stringify(row)) as Issue)
  }
  let now = start
  const change = (one: IssueChange) => {
    now += seconds(60)
    const outcome = decideChange(memory, one, { now, newId: at => at.nextCountedId('bd') })
    if (isRefusal(outcome)) return outcome.failureClass
    for (const row of outcome.rows) {
      expect(readIssueLine(printIssue(row))).toEqual(row)
      memory.put(row)
    }
    return outcome.issue
  }
  return { memory, change, row: () => memory.get('bd-1') as Issue }
}

test('a revert that began is found by the next start, and nobody takes the issue', () => {
  const { memory, change, row } = memoryOf()
  change(begin())
  expect(row()).toMatchObject({ status: 'in_progress', closed_at: undefined })
  expect(landingIssues(memory).map(landingOf)).toEqual([
    {
      ...plan,
      close,
      closedAt: aLanding.closedAt,
      revert: { landed, reason: 'Breaks the export' },
    },
  ])
  const claim = { assignee: 'bob' }
  expect(change({ action: 'issue.claim', id: 'bd-1', claim })).toBe('issue_landing')
  expect(change({ action: 'issue.update', id: 'bd-1', proof: {}, fields: { title: 'x' } })).toBe(
    'issue_landing',
  )
  expect(change({ action: 'issue.claim_next', claim })).toBeUndefined()
})

test('its end opens the issue and says why', () => {
  const { change, row, memory } = memoryOf()
  change(begin())
  change(finish)
  const reverted = {
    commit: plan.commit,
    landed,
    target,
    at: '2026-03-01T00:02:00Z',
    reason: 'Breaks the export',
  }
  expect(row()).toMatchObject({
    status: 'open',
    assignee: '',
    closed_at: undefined,
    lease: undefined,
    notes: `Known before\n\nCommit ${landed} was reverted on main by ${plan.commit}: Breaks the export`,
    metadata: { premathFence: 3, premathClose: close, premathReverted: reverted },
  })
  expect(revertedOf(row())).toEqual(reverted)
  expect([...memory.ready()].map(({ id }) => id)).toEqual(['bd-1'])
  expect(landingIssues(memory)).toEqual([])
})

test('the reverted commit does not close the issue again', () => {
  const { change } = memoryOf()
  change(begin())
  change(finish)
  change({ action: 'issue.claim', id: 'bd-1', claim: { assignee: 'ann', leaseId: 'l' } })
  const tree = 'tree1_aa' as const
  const value = { issueId: 'bd-1', result: 'accepted', treeDigest: tree }
  const done = CloseProof.byVerification({ issueId: 'bd-1', tree }, [{ path: 'w.json', value }])
  if (isRefusal(done)) throw new Error(done.diagnostic)
  const proof = { assignee: 'ann', leaseId: 'l', fence: 4 }
  const land = (commit: string): IssueChange => ({
    action: 'issue.land_begin',
    id: 'bd-1',
    proof,
    done,
    landing: { ...plan, commit },
  })
  expect(change(land(landed))).toBe('landing_reverted')
  expect(change(land('9'.repeat(40)))).toMatchObject({ status: 'in_progress' })
})

test('undone, the issue is closed as before', () => {
  const { change, row, memory } = memoryOf()
  const before = row()
  change(begin())
  change(undo)
  expect(row()).toEqual({ ...before, updated_at: '2026-03-01T00:02:00Z' })
  expect([...memory.ready()].map(({ id }) => id)).toEqual(['bd-2'])
})

test('may be begun and finished twice', () => {
  const { change, row } = memoryOf()
  change(begin())
  const begun = row()
  expect(change(begin())).toBe(begun)
  change(finish)
  const open = row()
  expect(change(finish)).toBe(open)
})

test.each<[string, object, object, string]>([
  ['is open', { status: 'open' }, {}, 'issue_not_landed'],
  [
    'closed without a commit',
    { metadata: { premathClose: { by: 'force' } } },
    {},
    'issue_not_landed',
  ],
  ['closed with another commit', {}, { revert: { landed: 'e'.repeat(40) } }, 'issue_not_landed'],
  ['is not there', {}, { id: 'bd-9' }, 'issue_not_found'],
  ['gets a short commit id', {}, { landing: { ...plan, commit: 'dddd' } }, 'landing_invalid'],
])('does not begin for an issue that %s', (_why, members, given, failureClass) => {
  const { change, row } = memoryOf(members)
  const before = row()
  expect(change(begin(given))).toBe(failureClass)
  expect(row()).toBe(before)
})

test('another revert does not begin before the first has ended', () => {
  const { change } = memoryOf()
  change(begin())
  expect(change(begin({ landing: { ...plan, base: 'c'.repeat(40) } }))).toBe('issue_landing')
})

test('a record that cannot be read is no landing', () => {
  const { row } = memoryOf({
    status: 'in_progress',
    metadata: { premathLanding: { ...aLanding, revert: 'yes' } },
  })
  expect(landingOf(row())).toBeUndefined()
})
