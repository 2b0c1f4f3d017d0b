import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import type { Feedback } from '../../wire/harness/feedback.ts'
import type { Attention, AttentionFacts } from '../../wire/run/attention.ts'
import { activeIntegrity } from '../issues/graph/dependency-cycle.ts'
import { type Issue, readIssue } from '../issues/issue.ts'
import { issueCounts } from '../issues/issue-counts.ts'
import { IssueMemory } from '../issues/issue-memory.ts'
import { needsAttention, workingOn } from './project-status.ts'

const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n

function memoryOf(...rows: readonly object[]) {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(readIssue({ title: 'T', ...row }) as Issue)
  return memory
}

const leased = (id: string, until: string, more: object = {}) => ({
  id,
  status: 'in_progress',
  assignee: 'ann',
  lease: {
    lease_id: 'l',
    owner: 'ann',
    acquired_at: '2026-02-22T10:00:00Z',
    expires_at: `2026-02-22T${until}:00Z`,
  },
  ...more,
})

const waitingFor = (id: string, target: string, more: object = {}) => ({
  id,
  dependencies: [{ issue_id: id, depends_on_id: target, type: 'blocks' }],
  ...more,
})

const failedWith = (failureClass: string): Feedback => ({
  stepId: 's',
  failureClasses: [failureClass],
  summary: 'it failed',
  command: null,
  lines: [],
  output: [],
  findings: [],
})

const report = (facts: Partial<AttentionFacts>, at = '2026-02-22T11:00:00Z'): Attention => ({
  schema: 1,
  attentionKind: 'premath.harness.attention.v1',
  at,
  runId: 'r',
  about: 'repeated_failure',
  message: 'm',
  next: 'n',
  ...facts,
})

const attention = (
  memory: IssueMemory,
  rows: readonly Attention[] = [],
  failures: Readonly<Record<string, Feedback>> = {},
) =>
  needsAttention({
    memory,
    now: noon,
    rows,
    failures: new Map(Object.entries(failures)),
    readyCount: issueCounts(memory).ready,
    cyclePath: activeIntegrity(memory).cyclePath,
  })

test('every issue is counted once', () => {
  const memory = memoryOf(
    { id: 'a' },
    { id: 'b', status: 'blocked' },
    waitingFor('c', 'a'),
    waitingFor('d', 'a', { status: 'in_progress' }),
    leased('e', '11:00'),
    { id: 'f', status: 'in_review' },
    { id: 'g', status: 'someday' },
    { id: 'h', status: 'closed' },
    waitingFor('i', 'h'),
  )
  expect(issueCounts(memory)).toEqual({
    total: 9,
    ready: 2,
    inProgress: 2,
    blocked: 2,
    inReview: 1,
    other: 1,
    closed: 1,
    forced: 0,
  })
})

test('lost work needs attention once for all issues, and work on another branch does not', () => {
  const commit = 'a'.repeat(40)
  const premathClose = { by: 'verification', commit, tree: commit, target: 'main' }
  const memory = memoryOf(
    ...['a', 'b', 'c'].map(id => ({ id, status: 'closed', metadata: { premathClose } })),
  )
  const work = ['a', 'b', 'c'].map(id => ({
    id,
    commit,
    target: id === 'c' ? 'topic' : 'main',
    isGone: false,
  }))
  const facts = { memory, now: noon, rows: [], failures: new Map(), readyCount: 0, cyclePath: null }
  expect(needsAttention({ ...facts, lack: { branch: 'main', work } })).toMatchObject([
    {
      about: 'work_lost',
      issueId: null,
      message: '2 issues are closed, but main lacks their work: a, b',
      next: 'premath doctor says what to do about them',
    },
  ])
})

test('work is a lease that is held or expired, or an issue in progress without one', () => {
  const memory = memoryOf(
    leased('bd-10', '13:00'),
    leased('bd-9', '11:00'),
    { id: 'bd-8', status: 'in_progress', assignee: 'bob' },
    { id: 'bd-7' },
    leased('bd-6', '13:00', { status: 'closed' }),
  )
  const since = '2026-02-22T10:00:00Z'
  expect(workingOn(memory, noon)).toEqual([
    {
      issueId: 'bd-8',
      title: 'T',
      workerId: 'bob',
      since: null,
      leaseExpiresAt: null,
      isExpired: false,
    },
    {
      issueId: 'bd-9',
      title: 'T',
      workerId: 'ann',
      since,
      leaseExpiresAt: '2026-02-22T11:00:00Z',
      isExpired: true,
    },
    {
      issueId: 'bd-10',
      title: 'T',
      workerId: 'ann',
      since,
      leaseExpiresAt: '2026-02-22T13:00:00Z',
      isExpired: false,
    },
  ])
})

describe('attention', () => {
  test('a blocked issue says why: its last failure, or what it waits for', () => {
    const memory = memoryOf(
      { id: 'a', status: 'blocked' },
      { id: 'b', status: 'blocked' },
      waitingFor('c', 'd', { status: 'blocked' }),
      { id: 'd' },
      waitingFor('e', 'd'),
    )
    expect(attention(memory, [], { a: failedWith('check_failed') })).toMatchObject([
      {
        about: 'issue_blocked',
        issueId: 'a',
        message: 'blocked after check_failed: it failed',
        next: expect.stringContaining('premath show a'),
        failureClasses: ['check_failed'],
      },
      { issueId: 'b', message: 'marked as blocked', failureClasses: [] },
      { issueId: 'c', message: 'marked as blocked, and waits for d' },
    ])
    const [parked] = attention(memory, [], { a: failedWith('landing_parked') })
    expect(parked?.next).toContain('premath land a')
  })

  test('an expired lease is listed, unless the commit of the issue is landing', () => {
    const memory = memoryOf(
      leased('a', '11:00'),
      leased('b', '13:00'),
      leased('c', '11:00', { metadata: { premathLanding: aLanding } }),
      leased('d', '11:00', { status: 'closed' }),
    )
    expect(attention(memory)).toMatchObject([
      { about: 'lease_expired', issueId: 'a', message: 'the lease of ann expired' },
    ])
  })

  test('a report of the run is listed while it is about open work, for a week', () => {
    const memory = memoryOf(
      { id: 'a', title: 'A' },
      { id: 'b', status: 'closed' },
      { id: 'c', status: 'blocked' },
    )
    const reports = (...rows: readonly Attention[]) =>
      attention(memory, rows)
        .filter(({ at }) => at !== null)
        .map(({ issueId, title, message }) => [issueId, title, message])
    const environment = report({ about: 'clock_set_back', message: 'the clock was set back' })
    expect(
      reports(
        report({ issueId: 'a' }),
        report({ issueId: 'b' }),
        report({ issueId: 'c' }),
        report({ issueId: 'gone' }),
        environment,
      ),
    ).toEqual([
      ['a', 'A', 'm'],
      [null, null, 'the clock was set back'],
    ])
    expect(reports(report({ about: 'work_blocked', blockers: ['b', 'c'] }))).toEqual([])
    expect(reports(report({ issueId: 'a' }, '2026-02-15T12:00:00Z'))).toHaveLength(1)
    expect(reports(report({ issueId: 'a' }, '2026-02-15T11:59:59Z'))).toHaveLength(0)
  })

  test('a report that no longer holds is left out', () => {
    const held = (rows: readonly object[], ...reports: readonly Attention[]) =>
      attention(memoryOf(...rows), reports)
        .filter(({ at }) => at !== null)
        .map(({ about }) => about)
    const [before, since] = ['2026-02-22T10:00:00Z', '2026-02-22T11:30:00Z']
    const someday = { id: 'a', status: 'someday' }
    const stuck = report({ about: 'work_blocked', blockers: ['a'] })
    expect(held([{ ...someday, updated_at: before }], stuck)).toEqual(['work_blocked'])
    expect(held([{ ...someday, updated_at: since }], stuck)).toEqual([])
    expect(held([{ ...someday, updated_at: before }, { id: 'b' }], stuck)).toEqual([])
    for (const about of ['landing_parked', 'gate_refused', 'lease_lost'] as const) {
      const one = report({ about, issueId: 'a' })
      expect(held([{ id: 'a', updated_at: before }], one)).toEqual([about])
      expect(held([{ id: 'a', updated_at: since }], one)).toEqual([])
    }
    for (const about of ['worker_quiet', 'lease_ending'] as const) {
      const one = report({ about, issueId: 'a', workerId: 'ann' })
      expect(held([leased('a', '13:00', { updated_at: since })], one)).toEqual([about])
      expect(held([{ id: 'a' }], one)).toEqual([])
    }
  })

  test('a dependency cycle is listed while there is one', () => {
    const row = report({ about: 'dependency_cycle', blockers: ['a', 'b', 'a'] })
    const circular = memoryOf(waitingFor('a', 'b'), waitingFor('b', 'a'))
    expect(attention(circular, [row])).toMatchObject([
      { about: 'dependency_cycle', at: null, next: expect.stringContaining('dep remove a b') },
    ])
    expect(attention(memoryOf({ id: 'a' }, waitingFor('b', 'a')), [row])).toEqual([])
  })
})
