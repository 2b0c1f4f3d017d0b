import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../../test/a-landing.ts'
import { type Issue, readIssue } from '../../issues/issue.ts'
import { IssueMemory } from '../../issues/issue-memory.ts'
import { remainingWork, shortList } from './remaining-work.ts'

const noon = BigInt(Date.parse('2026-02-22T12:00:00Z')) * 1_000_000n

const issue = (id: string, waitsFor: readonly string[] = [], more: object = {}) =>
  readIssue({
    id,
    title: id,
    dependencies: waitsFor.map(target => ({
      issue_id: id,
      depends_on_id: target,
      type: 'blocks',
    })),
    ...more,
  }) as Issue

const leaseUntil = (time: string) => ({
  status: 'in_progress',
  assignee: 'ann',
  lease: {
    lease_id: 'l',
    owner: 'ann',
    acquired_at: '2026-02-22T10:00:00Z',
    expires_at: `2026-02-22T${time}:00Z`,
  },
})

function left(...rows: readonly Issue[]) {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return remainingWork(memory, noon)
}

describe('remaining work', () => {
  test('is empty if every issue is closed', () => {
    expect(left(issue('bd-1', [], { status: 'closed' }))).toEqual({
      open: 0,
      blocked: [],
      waits: [],
      blockers: [],
      marked: [],
      named: [],
      held: [],
    })
  })

  test('waits for the end of a chain, not for the issues in between', () => {
    const found = left(issue('bd-1', ['bd-2']), issue('bd-2', ['bd-3']), issue('bd-3'))
    expect(found).toMatchObject({ open: 3, blocked: ['bd-1', 'bd-2'], blockers: ['bd-3'] })
    expect(found.waits).toEqual([
      { id: 'bd-1', on: ['bd-2'] },
      { id: 'bd-2', on: ['bd-3'] },
    ])
  })

  test('names a shared blocker once, and no closed one', () => {
    const done = issue('bd-4', [], { status: 'closed' })
    const found = left(
      issue('bd-1', ['bd-3', 'bd-4']),
      issue('bd-2', ['bd-3']),
      issue('bd-3'),
      done,
    )
    expect(found).toMatchObject({ open: 3, blocked: ['bd-1', 'bd-2'], blockers: ['bd-3'] })
  })

  test('waits for a missing issue', () => {
    expect(left(issue('bd-1', ['gone']))).toMatchObject({ blocked: ['bd-1'], blockers: ['gone'] })
  })

  test('separates issues marked as blocked from waiting ones', () => {
    const marked = { status: 'blocked' }
    const found = left(issue('bd-1', ['bd-2']), issue('bd-2', [], marked))
    expect(found).toMatchObject({
      blocked: ['bd-1', 'bd-2'],
      blockers: ['bd-2'],
      marked: ['bd-2'],
    })
  })

  test('is held until its lease expires', () => {
    const found = left(
      issue('bd-1', [], leaseUntil('12:01')),
      issue('bd-2', [], leaseUntil('11:59')),
    )
    expect(found.held).toEqual(['bd-1 (ann until 2026-02-22T12:01:00Z)'])
  })

  test('is held while it is landing', () => {
    const metadata = { premathLanding: aLanding }
    const found = left(issue('bd-1', [], { ...leaseUntil('11:59'), metadata }))
    expect(found.held).toEqual(['bd-1 (landing on main)'])
  })
})

describe('a few of many', () => {
  test.each([
    [[], ''],
    [['a'], 'a'],
    [['a', 'b', 'c', 'd', 'e'], 'a, b, c, d, e'],
    [['a', 'b', 'c', 'd', 'e', 'f'], 'a, b, c, d, e and 1 more'],
  ])('%j: %s', (names, text) => {
    expect(shortList(names)).toBe(text)
  })

  test('are as many as requested', () => {
    expect(shortList(['a', 'b', 'c'], 1)).toBe('a and 2 more')
  })
})
