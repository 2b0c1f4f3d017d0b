import { describe, expect, test } from 'vitest'
import { instantOf, seconds, timestampOf } from '../timestamp.ts'
import { type Issue, printIssue, readIssue, readIssueLine } from './issue.ts'
import {
  addIssue,
  discoverIssue,
  type IssueFields,
  specsOf,
  stamped,
  updateIssue,
  withStatus,
} from './issue-edit.ts'
import { IssueMemory } from './issue-memory.ts'
import { isRefusal } from './issue-refusal.ts'

const now = instantOf('2026-02-22T00:00:00Z') ?? 0n

function issue(id: string, row: Record<string, unknown> = {}): Issue {
  const read = readIssue({ id, title: `Issue ${id}`, ...row } as never)
  if ('why' in read) throw new Error(read.why)
  return read
}

function memoryOf(...issues: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const one of issues) memory.put(one)
  return memory
}

function changed(outcome: ReturnType<typeof addIssue>): Issue {
  if (isRefusal(outcome)) throw new Error(`${outcome.failureClass}: ${outcome.diagnostic}`)
  expect(outcome.rows).toEqual([outcome.issue])
  return outcome.issue
}

const add = (fields: IssueFields & { title: string }, id = 'bd-1') =>
  addIssue(new IssueMemory(), id, fields, now)

const update = (row: Record<string, unknown>, fields: IssueFields, at = now) =>
  changed(updateIssue(memoryOf(issue('bd-1', row)), 'bd-1', fields, at))

describe('after the clock was set back', () => {
  const written = { created_at: '2026-02-22T09:00:00Z', updated_at: '2026-02-22T10:00:00Z' }

  test('[memory.7.clock-times] a change is still newer than the row before it', () => {
    const { created_at, updated_at } = update(written, { title: 'x' })
    expect([created_at, updated_at]).toEqual([written.created_at, '2026-02-22T10:00:00.001Z'])
    expect(update({ created_at: written.created_at }, { title: 'x' }).updated_at).toBe(
      '2026-02-22T09:00:00.001Z',
    )
  })

  test('[memory.7.clock-times] a change is newer also where the clock stands still', () => {
    const still = update({ updated_at: timestampOf(now) }, { title: 'x' })
    expect(still.updated_at).toBe('2026-02-22T00:00:00.001Z')
  })

  test('[memory.7.clock-times] an issue is not closed before it was changed', () => {
    const closed = update(written, { status: 'closed' })
    expect(closed.closed_at).toBe(closed.updated_at)
  })

  test('[memory.7.clock-times] a change of a row from the last year still has a time that can be read', () => {
    const last = '9999-12-31T23:59:59.999999999Z'
    expect(update({ updated_at: last }, { title: 'x' }).updated_at).toBe(last)
  })
})

describe('adding', () => {
  test('fills in defaults, and dates the issue', () => {
    expect(printIssue(changed(add({ title: 'Root work' })))).toBe(
      '{"id":"bd-1","title":"Root work","status":"open","priority":2,"issue_type":"task",' +
        '"created_at":"2026-02-22T00:00:00Z","updated_at":"2026-02-22T00:00:00Z","ephemeral":false}',
    )
  })

  test('takes every field a person can set', () => {
    const specs = ['specs/a.spec.md', 'specs/a.spec.md']
    const fields = {
      title: 'T',
      description: 'D',
      design: 'E',
      acceptance_criteria: 'A',
      notes: 'N',
      status: 'blocked',
      priority: 0,
      issue_type: ' Epic ',
      assignee: 'ann',
      owner: 'bob',
      labels: ['ui', ' ui', 'api', ''],
    }
    expect(changed(add({ ...fields, specs }))).toMatchObject({
      ...fields,
      issue_type: 'epic',
      labels: ['ui', 'api'],
      metadata: { premathSpecs: ['specs/a.spec.md'] },
    })
  })

  test('a closed issue dates its end', () => {
    expect(changed(add({ title: 'T', status: 'closed' })).closed_at).toBe('2026-02-22T00:00:00Z')
  })

  test.each<[string, IssueFields, string, string]>([
    ['a blank title', { title: ' ' }, 'bd-1', 'issue_title_missing'],
    ['a blank id', {}, ' ', 'issue_id_invalid'],
    ['an id of two words', {}, 'bd 1', 'issue_id_invalid'],
    ['an id that looks like a flag', {}, '--json', 'issue_id_invalid'],
    ['an id that a terminal would obey', {}, 'bd\u001b[2J', 'issue_id_invalid'],
    ['an id beyond any use', {}, 'x'.repeat(201), 'issue_id_invalid'],
    ['a blank status', { status: '\t' }, 'bd-1', 'issue_status_invalid'],
    ['a type nobody knows', { issue_type: 'story' }, 'bd-1', 'issue_type_invalid'],
    ['a priority below the scale', { priority: -1 }, 'bd-1', 'issue_priority_invalid'],
    ['a priority beyond the scale', { priority: 5 }, 'bd-1', 'issue_priority_invalid'],
    ['a priority in between', { priority: 1.5 }, 'bd-1', 'issue_priority_invalid'],
  ])('with %s is refused', (_, fields, id, failureClass) => {
    expect(add({ ...fields, title: fields.title ?? 'T' }, id)).toEqual({
      failureClass,
      diagnostic: expect.stringMatching(/\w/),
      remedy: expect.stringMatching(/\.$/),
    })
  })

  test('over an id that is taken is refused', () => {
    expect(addIssue(memoryOf(issue('bd-1')), 'bd-1', { title: 'T' }, now)).toMatchObject({
      failureClass: 'issue_exists',
    })
  })
})

describe('discovering', () => {
  test('links the new issue to the one it was found on', () => {
    const memory = memoryOf(issue('bd-1'))
    const found = changed(
      discoverIssue(memory, { parentId: 'bd-1', id: 'bd-2', fields: { title: 'Found' } }, now),
    )
    expect(found.dependencies).toEqual([
      { issue_id: 'bd-2', depends_on_id: 'bd-1', type: 'discovered-from', created_by: '' },
    ])
  })

  test.each([
    ['an unknown parent', 'nope', 'bd-2', 'issue_not_found'],
    ['an id that is taken', 'bd-1', 'bd-1', 'issue_exists'],
  ])('with %s is refused', (_, parent, id, failureClass) => {
    const outcome = discoverIssue(
      memoryOf(issue('bd-1')),
      { parentId: parent, id, fields: { title: 'T' } },
      now,
    )
    expect(outcome).toMatchObject({ failureClass })
  })
})

describe('updating', () => {
  test('changes the named fields and leaves the rest', () => {
    const row = {
      notes: 'old',
      labels: ['a'],
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      theirs: { kept: 1 },
    }
    expect(update(row, { notes: 'new', priority: 0 })).toEqual({
      ...issue('bd-1', row),
      notes: 'new',
      priority: 0,
      updated_at: '2026-02-22T00:00:00Z',
    })
  })

  test('an empty text empties the field', () => {
    expect(update({ notes: 'old' }, { notes: '' }).notes).toBe('')
  })

  test('a blank label or spec clears the list', () => {
    const row = { labels: ['a'], metadata: { premathSpecs: ['s'] } }
    expect(update(row, { labels: [''], specs: [''] })).toMatchObject({
      labels: [],
      metadata: undefined,
    })
    expect(specsOf(issue('x', row))).toEqual(['s'])
    expect(specsOf(issue('x', { metadata: ['s'] }))).toEqual([])
  })

  test('specs keep the metadata that others wrote, whatever it was', () => {
    const fields = { specs: ['s'] }
    expect(update({ metadata: { premathFence: 3 } }, fields).metadata).toEqual({
      premathFence: 3,
      premathSpecs: ['s'],
    })
    expect(update({ metadata: [1] }, fields).metadata).toEqual({
      premathValue: [1],
      premathSpecs: ['s'],
    })
    expect(update({ metadata: [1] }, { specs: [''] }).metadata).toEqual([1])
    expect(update({ metadata: { a: 1, premathSpecs: [] } }, { specs: [''] }).metadata).toEqual({
      a: 1,
    })
  })

  test.each([
    ['an unknown issue', 'nope', { notes: 'x' }, 'issue_not_found'],
    ['nothing', 'bd-1', { notes: undefined }, 'issue_update_empty'],
    ['the title to nothing', 'bd-1', { title: '' }, 'issue_title_missing'],
  ])('%s is refused', (_, id, fields, failureClass) => {
    expect(updateIssue(memoryOf(issue('bd-1')), id, fields, now)).toMatchObject({ failureClass })
  })
})

describe('a status', () => {
  const lease = {
    lease_id: 'l',
    owner: 'a',
    acquired_at: '2026-02-22T00:00:00Z',
    expires_at: '2026-02-22T01:00:00Z',
  }
  const held = issue('bd-1', { status: 'in_progress', assignee: 'a', lease })

  test('other than in progress drops the lease and keeps the assignee', () => {
    for (const status of ['open', 'blocked', 'closed', 'waiting for ann']) {
      expect(withStatus(held, status, now)).toMatchObject({ lease: undefined, assignee: 'a' })
    }
    expect(withStatus(held, 'in_progress', now).lease).toEqual(lease)
    expect(withStatus(held, ' In_Progress', now).lease).toEqual(lease)
  })

  test('of closed dates the end once, and reopening takes the date away', () => {
    const closed = withStatus(held, 'closed', now)
    expect(closed.closed_at).toBe('2026-02-22T00:00:00Z')
    expect(withStatus(closed, 'closed', now + seconds(9)).closed_at).toBe(closed.closed_at)
    expect(withStatus(closed, 'open', now).closed_at).toBeUndefined()
  })

  test('of open after work clears the assignee, unless one is named', () => {
    const closed = issue('bd-1', { status: 'closed', assignee: 'a' })
    for (const before of [held, closed]) {
      const reopen = (fields: object) =>
        updateIssue(memoryOf(before), 'bd-1', { status: 'open', ...fields }, now)
      expect(reopen({})).toMatchObject({ issue: { assignee: '', lease: undefined } })
      expect(reopen({ assignee: 'b' })).toMatchObject({ issue: { assignee: 'b' } })
    }
    const named = issue('bd-1', { status: 'blocked', assignee: 'a' })
    expect(updateIssue(memoryOf(named), 'bd-1', { status: 'open' }, now)).toMatchObject({
      issue: { assignee: 'a' },
    })
  })

  test('that premath knows is normalized; any other word is kept', () => {
    expect(update({}, { status: ' Closed ' })).toMatchObject({
      status: 'closed',
      closed_at: '2026-02-22T00:00:00Z',
    })
    expect(update({}, { status: 'In review' }).status).toBe('In review')
  })
})

test('a row without times gets them at its first change, and keeps the first', () => {
  const bare = readIssueLine('{"id":"bd-1","title":"Issue 1"}')
  if (!('id' in bare)) throw new Error(bare.why)
  const first = stamped(bare, now)
  expect(first).toMatchObject({
    created_at: '2026-02-22T00:00:00Z',
    updated_at: '2026-02-22T00:00:00Z',
  })
  expect(stamped(first, now + seconds(1))).toMatchObject({
    created_at: '2026-02-22T00:00:00Z',
    updated_at: '2026-02-22T00:00:01Z',
  })
})
