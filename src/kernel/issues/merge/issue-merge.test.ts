import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../../test/a-landing.ts'
import type { Dependency } from '../../../wire/issue/issue.ts'
import { canonicalJson } from '../../canonical.ts'
import type { Json, JsonObject } from '../../json.ts'
import { mergeEvents } from '../events/event-merge.ts'
import { eventsOf, type IssueEvent } from '../events/issue-event.ts'
import { printEvent, readEventLine } from '../events/issue-event-line.ts'
import { BadEvent, replayEvents, replayOf } from '../events/issue-replay.ts'
import { withFence } from '../forward/fences.ts'
import { BadRow, fenceOf, type Issue, printIssue, readIssue, readIssueLine } from '../issue.ts'
import { decideChange, type IssueChange } from '../issue-change.ts'
import { IssueMemory } from '../issue-memory.ts'
import { isRefusal } from '../issue-refusal.ts'
import { landingOf } from '../landing/landing-state.ts'
import { mergeIssues } from './issue-merge.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const at = (second: number) => `2026-02-22T00:00:${String(second).padStart(2, '0')}Z`

function issue(id: string, more: Partial<Issue> = {}): Issue {
  const row = readIssue({ id, title: 'T', created_at: at(0), updated_at: at(0) })
  if (row instanceof BadRow) throw new Error(row.why)
  return { ...row, ...more }
}

const rowsOf = (...issues: readonly Issue[]) => new Map(issues.map(row => [row.id, row]))

const merge = (base: readonly Issue[], ours: readonly Issue[], theirs: readonly Issue[]) =>
  mergeIssues({ base: rowsOf(...base), ours: rowsOf(...ours), theirs: rowsOf(...theirs) }, sha256)

/** One issue, changed on both sides. */
function both(base: Partial<Issue>, ours: Partial<Issue>, theirs: Partial<Issue>) {
  const was = issue('bd-1', base)
  const [our, their] = [
    { ...was, updated_at: at(1), ...ours },
    { ...was, updated_at: at(2), ...theirs },
  ]
  const merged = merge([was], [our], [their])
  expect(merge([was], [their], [our])).toEqual(merged)
  const [row] = merged.rows
  if (!row) throw new Error('the row is gone')
  return { row, conflicts: merged.conflicts.map(({ field, value }) => [field, value]) }
}

const edge = (to: string, type: Dependency['type'] = 'blocks', created_by = ''): Dependency => ({
  issue_id: 'bd-1',
  depends_on_id: to,
  type,
  created_by,
})

const lease = (owner: string) => ({
  lease_id: `lease1_bd-1_${owner}`,
  owner,
  acquired_at: at(1),
  expires_at: at(31),
})

const held = (owner: string, premathFence: number) => ({
  status: 'in_progress',
  assignee: owner,
  lease: lease(owner),
  metadata: { premathFence },
})

describe('a row that both sides changed', () => {
  test('has the changes of both', () => {
    const { row, conflicts } = both({}, { title: 'A' }, { notes: 'B', priority: 0 })
    expect(row).toEqual(issue('bd-1', { title: 'A', notes: 'B', priority: 0, updated_at: at(2) }))
    expect(conflicts).toEqual([])
  })

  test('has the newer value of a field that both changed, and keeps the other', () => {
    const { row, conflicts } = both({}, { title: 'A', updated_at: at(3) }, { title: 'B' })
    expect(row.title).toBe('A')
    expect(conflicts).toEqual([['title', 'B']])
    expect(row.metadata).toEqual({
      premathMergeConflicts: [{ field: 'title', value: 'B', updated_at: at(2) }],
    })
  })

  test('of the same time has the value of the row with the greater bytes', () => {
    const { row } = both({}, { title: 'A', updated_at: at(2) }, { title: 'B' })
    expect(row.title).toBe('B')
  })

  test('keeps the earlier creation time', () => {
    const { row } = both({ created_at: undefined }, { created_at: at(4) }, { created_at: at(3) })
    expect(row.created_at).toBe(at(3))
  })

  test('has the labels of both, without those that one removed', () => {
    const { row } = both(
      { labels: ['x', 'y'] },
      { labels: ['y', 'c'] },
      { labels: ['x', 'y', 'a'] },
    )
    expect(row.labels).toEqual(['y', 'a', 'c'])
  })

  test('has the edges of both, without those that one removed', () => {
    const { row } = both(
      { dependencies: [edge('bd-2'), edge('bd-3')] },
      { dependencies: [edge('bd-3'), edge('bd-5')] },
      { dependencies: [edge('bd-2'), edge('bd-3', 'related'), edge('bd-4')] },
    )
    expect(row.dependencies).toEqual([edge('bd-3', 'related'), edge('bd-4'), edge('bd-5')])
  })

  test('keeps the creator of an edge, the newer one if both name one', () => {
    const { row, conflicts } = both(
      {},
      { dependencies: [edge('bd-2', 'blocks', 'ann')] },
      { dependencies: [edge('bd-2', 'blocks', 'bob')] },
    )
    expect(row.dependencies).toEqual([edge('bd-2', 'blocks', 'bob')])
    expect(conflicts).toEqual([['dependencies.bd-2.blocks.created_by', 'ann']])
  })

  test('has the members of its metadata and the unknown ones from both', () => {
    const { row, conflicts } = both(
      { metadata: { a: 1, gone: true }, others: { u: 1 } },
      { metadata: { a: 2 }, others: { u: 1, v: 2 } },
      { metadata: { a: 1, gone: true, b: [1] }, others: { u: 3 } },
    )
    expect(row.metadata).toEqual({ a: 2, b: [1] })
    expect(row.others).toEqual({ u: 3, v: 2 })
    expect(conflicts).toEqual([])
  })

  test('keeps a conflict resolved if one side resolved it', () => {
    const [first, second] = ['title', 'notes'].map(field => ({ field, value: 'x' }))
    const { row } = both(
      { metadata: { premathMergeConflicts: [first as object] as never } },
      { metadata: {}, notes: 'A' },
      { metadata: { premathMergeConflicts: [first, second] as never } },
    )
    expect(row.metadata).toEqual({ premathMergeConflicts: [second] })
  })
})

describe('comments, merged', () => {
  const said = (id: Json, second: number, text = 'hm', more: JsonObject = {}): JsonObject => ({
    id,
    issue_id: 'bd-1',
    author: 'ann',
    text,
    created_at: at(second),
    ...more,
  })

  test('are those of both sides, by time and then by id, each once', () => {
    const { row, conflicts } = both(
      { others: { comments: [said(5, 1)] } },
      { others: { comments: [said(5, 1), said(10, 3), said(9, 2)] } },
      { others: { comments: [said(5, 1), said(9, 3), said('u', 3)], due: 1 } },
    )
    expect(row.others).toEqual({
      comments: [said(5, 1), said(9, 2), said(9, 3), said(10, 3), said('u', 3)],
      due: 1,
    })
    expect(conflicts).toEqual([])
  })

  test('are those of the only side that has some', () => {
    const { row } = both({}, { others: { comments: [said(1, 1)] } }, { title: 'B' })
    expect(row.others).toEqual({ comments: [said(1, 1)] })
  })

  test('that are no list are a field like any other', () => {
    const { row, conflicts } = both(
      {},
      { others: { comments: [said(1, 1)] } },
      { others: { comments: 'x' } },
    )
    expect(row.others).toEqual({ comments: 'x' })
    expect(conflicts).toEqual([['comments', [said(1, 1)]]])
  })

  test('follow an issue to its new id', () => {
    const first = issue('bd-1', { title: 'First', created_at: at(1) })
    const comments = [said(1, 2), said(2, 2, 'about another', { issue_id: 'bd-9' })]
    const second = issue('bd-1', { title: 'Second', created_at: at(2), others: { comments } })
    const { rows, renamed } = merge([], [first], [second])
    const to = renamed[0]?.to ?? ''
    expect(rows.find(({ id }) => id === to)?.others).toEqual({
      comments: [said(1, 2, 'hm', { issue_id: to }), comments[1]],
    })
  })

  const anyComment = fc
    .record({
      id: fc.oneof(fc.nat(2), fc.constantFrom('u', 'v')),
      second: fc.nat(2),
      text: fc.constantFrom('a', 'b'),
    })
    .map(({ id, second, text }) => said(id, second, text))
  const anyComments = fc.array(anyComment, { maxLength: 4 })
  const texts = (comments: readonly Json[]) => comments.map(one => canonicalJson(one))

  test('of any two sides are all there, each once, whichever side is ours', () => {
    fc.assert(
      fc.property(anyComments, anyComments, anyComments, (before, left, right) => {
        const was = issue('bd-1', { others: { comments: before } })
        const side = (added: readonly JsonObject[], more: Partial<Issue>): Issue => ({
          ...was,
          ...more,
          others: { comments: [...before, ...added] },
        })
        const ours = side(left, { title: 'A', updated_at: at(3) })
        const theirs = side(right, { notes: 'B', updated_at: at(3) })
        const merged = merge([was], [ours], [theirs])
        expect(merge([was], [theirs], [ours])).toEqual(merged)
        const comments = merged.rows[0]?.others?.['comments'] as readonly JsonObject[]
        const all = new Set(texts([...before, ...left, ...right]))
        expect(texts(comments)).toHaveLength(all.size)
        expect(new Set(texts(comments))).toEqual(all)
        const times = comments.map(one => String(one['created_at']))
        expect(times).toEqual(times.toSorted())
      }),
    )
  })
})

describe('work on an issue, merged', () => {
  test('keeps the lease with the larger fence, also from the older row', () => {
    const { row, conflicts } = both({}, held('ann', 2), held('bob', 1))
    expect(row).toMatchObject({ assignee: 'ann', lease: lease('ann') })
    expect(conflicts).toEqual([
      ['assignee', 'bob'],
      ['lease', lease('bob')],
    ])
    expect(row.metadata).toMatchObject({ premathFence: 2 })
  })

  test('keeps the newer of two leases under one fence', () => {
    const { row } = both({}, held('ann', 1), held('bob', 1))
    expect(row).toMatchObject({ assignee: 'bob', lease: lease('bob') })
  })

  test('drops a lease that a later, released acquisition replaced', () => {
    const { row } = both(
      held('ann', 1),
      { status: 'open', assignee: '', lease: undefined, metadata: { premathFence: 2 } },
      { ...held('ann', 1), lease: { ...lease('ann'), expires_at: at(59) } },
    )
    expect(row).toMatchObject({ status: 'open', assignee: '', lease: undefined })
    expect(row.metadata).toMatchObject({ premathFence: 2 })
  })

  test('drops a lease that several released acquisitions replaced', () => {
    const { row, conflicts } = both({}, { metadata: { premathFence: 3 } }, held('ann', 1))
    expect(row).toMatchObject({ status: 'open', assignee: '', lease: undefined })
    expect(row.metadata).toMatchObject({ premathFence: 3 })
    expect(conflicts.map(([field]) => field)).toEqual(['status', 'assignee', 'lease'])
  })

  test('stays closed or released if the other side only renewed its lease', () => {
    const renewed = { lease: { ...lease('ann'), expires_at: at(59), renewed_at: at(3) } }
    const free = { assignee: '', lease: undefined }
    for (const ended of [
      { status: 'closed', closed_at: at(1), lease: undefined },
      { status: 'open', ...free },
    ]) {
      const { row, conflicts } = both(held('ann', 1), ended, renewed)
      expect(row).toMatchObject(ended)
      expect(conflicts).toEqual([])
    }
  })

  test('is released if two workers got the same lease and fence', () => {
    const again = { ...held('ann', 1), lease: { ...lease('ann'), acquired_at: at(2) } }
    const { row, conflicts } = both({}, held('ann', 1), again)
    expect(row).toMatchObject({ status: 'open', assignee: '', lease: undefined })
    // Neither of them may write again, nor when one of the sides is merged once more.
    expect(row.metadata).toMatchObject({ premathFence: 2 })
    expect(conflicts.map(([field]) => field)).toEqual(['lease', 'lease'])
  })

  test('is closed with no lease when it was closed later than claimed', () => {
    const { row, conflicts } = both({}, held('ann', 1), { status: 'closed', closed_at: at(2) })
    expect(row).toMatchObject({
      status: 'closed',
      closed_at: at(2),
      lease: undefined,
      assignee: '',
    })
    expect(row.metadata).toMatchObject({ premathFence: 1 })
    expect(conflicts).toEqual([
      ['status', 'in_progress'],
      ['assignee', 'ann'],
      ['lease', lease('ann')],
    ])
  })

  test('takes a claim beside an edit of something else', () => {
    const { row, conflicts } = both({}, held('ann', 1), { title: 'B' })
    expect(row).toMatchObject({ ...held('ann', 1), title: 'B' })
    expect(conflicts).toEqual([])
  })

  test('takes assignee and status from different sides without a lease', () => {
    const { row, conflicts } = both({}, { assignee: 'ann' }, { status: 'blocked' })
    expect(row).toMatchObject({ assignee: 'ann', status: 'blocked' })
    expect(conflicts).toEqual([])
  })
})

describe('a landing, merged', () => {
  const landing = (owner: string, premathFence: number, premathLanding: object = aLanding) => ({
    ...held(owner, premathFence),
    metadata: { premathFence, premathLanding: premathLanding as JsonObject },
  })
  const closed = (time: number) => ({
    status: 'closed',
    closed_at: at(time),
    updated_at: at(time),
    lease: undefined,
    metadata: { premathFence: 1, premathClose: { by: 'force' } },
  })

  test('goes on beside an edit or a renewal', () => {
    const edited = both(held('ann', 1), landing('ann', 1), { title: 'B' })
    expect(edited.row).toMatchObject({ ...landing('ann', 1), title: 'B' })
    const renewed = { lease: { ...lease('ann'), expires_at: at(59) } }
    expect(both(landing('ann', 1), { title: 'B' }, renewed).row).toMatchObject({
      ...landing('ann', 1),
      ...renewed,
    })
  })

  test('ends as the other side ended it', () => {
    const finished = both(landing('ann', 1), { title: 'B', updated_at: at(9) }, closed(2))
    expect(finished.row).toMatchObject({ status: 'closed', closed_at: at(2), lease: undefined })
    expect(finished.row.metadata).toEqual(closed(2).metadata)
    expect(finished.conflicts).toEqual([])
    const undone = both(landing('ann', 1), { title: 'B', updated_at: at(9) }, held('ann', 1))
    expect(undone.row.metadata).toEqual({ premathFence: 1 })
  })

  test.each([2, 9])('gives way to a close on the other side, older or newer (%i)', time => {
    const claimed = { ...landing('ann', 1), updated_at: at(5) }
    const { row, conflicts } = both(held('ann', 1), claimed, closed(time))
    expect(row).toMatchObject({ status: 'closed', closed_at: at(time), lease: undefined })
    expect(row.metadata).toMatchObject({ premathClose: { by: 'force' } })
    expect(landingOf(row)).toBeUndefined()
    expect(conflicts).toEqual([['metadata.premathLanding', aLanding]])
    const unclaimed = both({}, claimed, closed(time))
    expect(unclaimed.row).toMatchObject({ status: 'closed', closed_at: at(time), assignee: '' })
    expect(unclaimed.conflicts).toContainEqual(['metadata.premathLanding', aLanding])
  })

  test('of a reopened issue does not give way to the close before', () => {
    // A reopened row keeps the record of its close.
    const metadata = { ...closed(1).metadata, ...landing('ann', 2).metadata }
    const reopened = { closed_at: undefined, ...landing('ann', 2), metadata, updated_at: at(5) }
    const { row } = both(closed(1), reopened, { title: 'B', updated_at: at(9) })
    expect(row).toMatchObject({ status: 'in_progress', title: 'B', lease: lease('ann') })
    expect(landingOf(row)).toMatchObject(aLanding)
  })

  test('stays beside a later claim, so that the target decides how it ends', () => {
    const { row } = both(held('ann', 1), landing('ann', 1), held('bob', 2))
    expect(row).toMatchObject({ lease: lease('bob'), metadata: { premathFence: 2 } })
    expect(landingOf(row)).toMatchObject(aLanding)
  })

  test('of another commit on each side is the newer one, and the other is recorded', () => {
    const other = { ...aLanding, commit: 'd'.repeat(40) }
    const { row, conflicts } = both(held('ann', 1), landing('ann', 1), landing('ann', 1, other))
    expect(landingOf(row)?.commit).toBe(other.commit)
    expect(conflicts).toEqual([['metadata.premathLanding', aLanding]])
  })
})

describe('rows that are not on both sides', () => {
  const [one, two, three] = [issue('bd-1'), issue('bd-2'), issue('bd-3')]
  const changed = issue('bd-1', { title: 'Changed', updated_at: at(1) })

  test('are added from both', () => {
    expect(merge([one], [one, two], [one, three]).rows).toEqual([one, two, three])
  })

  // A clone without a driver can commit a merge that has the rows of one side only.
  test('[memory.2.nothing-lost] stay when a side lacks them, also if the base has them', () => {
    expect(merge([one, two], [one], [one, two]).rows).toEqual([one, two])
  })

  test('stay when one side removed and the other changed them', () => {
    expect(merge([one], [], [changed]).rows).toEqual([changed])
    expect(merge([one], [changed], []).rows).toEqual([changed])
  })
})

describe('one id for two issues', () => {
  const first = issue('bd-7', { title: 'First', created_at: at(1) })
  const second = issue('bd-7', { title: 'Second', created_at: at(2), notes: 'n' })
  const waits = issue('bd-8', { dependencies: [{ ...edge('bd-7'), issue_id: 'bd-8' }] })
  const merged = merge([], [first], [second, waits])
  const [newId = ''] = merged.renamed.map(({ to }) => to)

  test('gives the later one a new id and a note, and its edges follow', () => {
    expect(merged.renamed).toEqual([
      { from: 'bd-7', to: expect.stringMatching(/^bd-7-[a-z][0-9a-z]{3}$/), title: 'Second' },
    ])
    expect(merged.rows).toEqual([
      first,
      {
        ...second,
        id: newId,
        notes: 'n\nWas bd-7 before a merge, where another issue has that id.',
        metadata: {
          premathMergedFrom: 'bd-7',
          premathMergeConflicts: [{ field: 'id', value: 'bd-7' }],
        },
      },
      { ...waits, dependencies: [{ ...edge(newId), issue_id: 'bd-8' }] },
    ])
    expect(merge([], [second, waits], [first])).toEqual(merged)
  })

  test('gets the same new id in every clone, whatever was edited before the merge', () => {
    const edited = { ...second, title: 'Second, edited', updated_at: at(8) }
    expect(merge([], [edited], [first]).renamed.map(({ to }) => to)).toEqual([newId])
  })

  test('leaves the old id no fence that a worker may still hold', () => {
    const earlier = issue('bd-1', { title: 'A', created_at: at(1) })
    const later = issue('bd-1', { title: 'B', created_at: at(2), metadata: { premathFence: 3 } })
    for (const { rows } of [merge([], [earlier], [later]), merge([], [later], [earlier])]) {
      expect(rows.find(({ id }) => id === 'bd-1')).toMatchObject({
        title: 'A',
        metadata: { premathFence: 3 },
      })
    }
  })

  test('is one issue if both imported it from the same place', () => {
    const [a, b] = [
      { ...first, title: 'A', updated_at: at(3) },
      { ...first, notes: 'B', updated_at: at(4) },
    ]
    const { rows, conflicts, renamed } = merge([], [a], [b])
    expect(renamed).toEqual([])
    expect(conflicts).toEqual([{ issueId: 'bd-7', field: 'title', value: 'A' }])
    expect(rows).toMatchObject([{ id: 'bd-7', title: 'First', notes: 'B' }])
  })

  test('moves the changes of a third branch to the new id', () => {
    const edited = { ...second, title: 'Second, edited', updated_at: at(9) }
    const { rows, renamed, conflicts } = merge([second], merged.rows, [edited])
    expect(renamed).toEqual([])
    expect(conflicts).toEqual([])
    expect(rows.map(row => [row.id, row.title])).toEqual([
      ['bd-7', 'First'],
      [newId, 'Second, edited'],
      ['bd-8', 'T'],
    ])
  })
})

const anyRow = (id: string): fc.Arbitrary<Issue> =>
  fc
    .record({
      title: fc.constantFrom('A', 'B'),
      notes: fc.constantFrom('', 'n', 'm'),
      status: fc.constantFrom('open', 'in_progress', 'closed'),
      assignee: fc.constantFrom('', 'ann', 'bob'),
      lease: fc.option(fc.constantFrom(lease('ann'), lease('bob')), { nil: undefined }),
      created_at: fc.constantFrom(at(1), at(1), at(1), at(2), undefined),
      updated_at: fc.constantFrom(at(3), at(4), at(5), undefined),
      closed_at: fc.option(fc.constantFrom(at(5), at(6)), { nil: undefined }),
      labels: fc.shuffledSubarray(['x', 'y', 'z']),
      dependencies: fc.uniqueArray(
        fc.record({
          issue_id: fc.constant(id),
          depends_on_id: fc.constantFrom('bd-1', 'bd-2', 'bd-9'),
          type: fc.constantFrom('blocks', 'related'),
          created_by: fc.constantFrom('', 'ann'),
        }),
        { maxLength: 3, selector: ({ depends_on_id, type }) => `${depends_on_id}${type}` },
      ),
      metadata: fc.option(
        fc.record(
          { premathFence: fc.nat(3), a: fc.nat(2), b: fc.constantFrom('t', [1], null) },
          { requiredKeys: [] },
        ),
        { nil: undefined },
      ),
      others: fc.option(
        fc.record(
          {
            u: fc.nat(2),
            comments: fc.array(
              fc.record({ id: fc.nat(2), created_at: fc.constantFrom(at(1), at(2), 'soon') }),
              { maxLength: 3 },
            ),
          },
          { requiredKeys: ['u'] },
        ),
        { nil: undefined },
      ),
    })
    .map(more => issue(id, more))

const anyMemory = fc
  .tuple(...['bd-1', 'bd-2', 'bd-3'].map(id => fc.option(anyRow(id), { nil: undefined })))
  .map(rows => rows.filter(row => row !== undefined))

describe('any base and two sides', () => {
  const textOf = (rows: readonly Issue[]) => rows.map(printIssue).toSorted().join('\n')

  test('merge to the same result whichever side is ours', () => {
    fc.assert(
      fc.property(anyMemory, anyMemory, anyMemory, (base, ours, theirs) => {
        const merged = merge(base, ours, theirs)
        const turned = merge(base, theirs, ours)
        expect(textOf(turned.rows)).toBe(textOf(merged.rows))
        expect(turned).toEqual(merged)
      }),
    )
  })

  /** The rows of a side as changes make them: none is gone, no fence shrank, comments stay, times go on. */
  function changesOf(base: readonly Issue[], changed: readonly Issue[]): readonly Issue[] {
    const after = rowsOf(...changed)
    const rows = base.map(was => {
      const row = after.get(was.id)
      if (!row || row.created_at !== was.created_at) return was
      const comments = [was, row].flatMap(({ others }) => (others?.['comments'] ?? []) as Json[])
      const others = comments.length === 0 ? row.others : { ...row.others, comments }
      const isOlder = (row.updated_at ?? '~') < (was.updated_at ?? '')
      const updated_at = isOlder ? was.updated_at : row.updated_at
      const isTakenOver = was.lease !== undefined && row.lease?.lease_id !== was.lease.lease_id
      return withFence({ ...row, updated_at, others }, fenceOf(was) + (isTakenOver ? 1 : 0))
    })
    return [...rows, ...changed.filter(({ id }) => !rowsOf(...base).has(id))]
  }

  test('merge to the changed side if only one changed', () => {
    fc.assert(
      fc.property(anyMemory, anyMemory, (base, changed) => {
        const side = changesOf(base, changed)
        expect(textOf(merge(base, side, base).rows)).toBe(textOf(side))
        expect(textOf(merge(base, base, side).rows)).toBe(textOf(side))
        expect(textOf(merge(base, side, side).rows)).toBe(textOf(side))
      }),
    )
  })

  test('lose no row, and every row loads as it is', () => {
    fc.assert(
      fc.property(anyMemory, anyMemory, anyMemory, (base, ours, theirs) => {
        const { rows, renamed } = merge(base, ours, theirs)
        const merged = new Set(rows.map(row => row.id))
        const was = rowsOf(...base)
        const apart = [...ours, ...theirs].filter(row => {
          const before = was.get(row.id)
          return !before || printIssue(before) !== printIssue(row)
        })
        for (const row of apart) expect(merged).toContain(row.id)
        expect(rows).toHaveLength(merged.size)
        for (const { to } of renamed) expect(merged).toContain(to)
        for (const row of rows) expect(readIssueLine(printIssue(row))).toEqual(row)
      }),
    )
  })

  test('never lower a fence', () => {
    const fence = (row: Issue | undefined) =>
      (row?.metadata as { premathFence?: number } | undefined)?.premathFence ?? 0
    fc.assert(
      fc.property(anyRow('bd-1'), anyRow('bd-1'), anyRow('bd-1'), (base, ours, theirs) => {
        const same = (row: Issue): Issue => ({ ...row, created_at: at(1) })
        const [was, our, their] = [same(base), same(ours), same(theirs)]
        const [row] = merge([was], [our], [their]).rows
        const highest = Math.max(fence(our), fence(their))
        // A lease that two workers were given ends, with a fence of neither.
        const [least, most] = [highest, highest + (fence(our) === fence(their) ? 1 : 0)]
        expect(fence(row)).toBeGreaterThanOrEqual(least)
        expect(fence(row)).toBeLessThanOrEqual(most)
      }),
    )
  })
})

describe('event logs', () => {
  const line = (row: Issue, before?: Issue) =>
    eventsOf(before, row).map(event => ({ event, text: printEvent(event) }))
  const base = line(issue('bd-1'))
  const ours = [...base, ...line(issue('bd-1', { title: 'A', updated_at: at(2) }))]
  const theirs = [...base, ...line(issue('bd-1', { title: 'B', updated_at: at(1) }))]

  test('have every line once, in order of time', () => {
    const merged = mergeEvents(base, ours, theirs)
    expect(merged).toEqual([base[0]?.text, theirs[1]?.text, ours[1]?.text])
    expect(mergeEvents(base, theirs, ours)).toEqual(merged)
  })

  test('are the other log if one side changed nothing', () => {
    expect(mergeEvents(base, base, theirs)).toEqual(theirs.map(({ text }) => text))
    expect(mergeEvents(base, ours, base)).toEqual(ours.map(({ text }) => text))
    expect(mergeEvents(base, ours, ours)).toEqual(ours.map(({ text }) => text))
  })

  test('order the removal of an edge before its addition at one instant', () => {
    const before = issue('bd-1', { dependencies: [edge('bd-2', 'blocks', 'ann')] })
    const after = issue('bd-1', {
      dependencies: [edge('bd-2', 'blocks', 'bob')],
      updated_at: at(1),
    })
    const changed = [...base, ...line(after, before)]
    expect(mergeEvents(base, theirs, changed).slice(-4)).toEqual([
      ...changed.slice(1, 3).map(({ text }) => text),
      ...[changed[3]?.text, theirs[1]?.text].toSorted(),
    ])
  })
})

/** A branch: rows from real changes, and their event log. */
interface Branch {
  readonly memory: IssueMemory
  readonly log: readonly IssueEvent[]
}

const anyWork: fc.Arbitrary<readonly IssueChange[]> = fc.array(
  fc.oneof(
    fc.constant<IssueChange>({ action: 'issue.add', issue: { title: 'New' } }),
    fc
      .constantFrom('ann', 'bob')
      .map((assignee): IssueChange => ({ action: 'issue.claim_next', claim: { assignee } })),
    fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('open', 'closed', 'blocked')).map(
      ([n, status]): IssueChange => ({
        action: 'issue.update',
        id: `bd-${n}`,
        fields: { status },
        proof: {},
      }),
    ),
    fc.tuple(fc.integer({ min: 1, max: 4 }), fc.string()).map(
      ([n, notes]): IssueChange => ({
        action: 'issue.update',
        id: `bd-${n}`,
        fields: { notes },
        proof: {},
      }),
    ),
    fc.tuple(fc.integer({ min: 1, max: 4 }), fc.nat(3), fc.constantFrom('a', 'b')).map(
      ([n, id, text]): IssueChange => ({
        action: 'issue.comment',
        id: `bd-${n}`,
        comment: { id, author: 'ann', text },
      }),
    ),
    fc
      .tuple(fc.boolean(), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
      .map(([isNew, from, to]): IssueChange => {
        const edge = { issueId: `bd-${from}`, dependsOnId: `bd-${to}`, type: 'blocks' } as const
        return isNew
          ? { action: 'dep.add', edge: { ...edge, createdBy: '' }, proof: {} }
          : { action: 'dep.remove', edge, proof: {} }
      }),
  ),
  { maxLength: 8 },
)

function worked(from: Branch, changes: readonly IssueChange[], start: number): Branch {
  const memory = memoryOf(from.memory.all())
  const log = [...from.log]
  for (const [step, change] of changes.entries()) {
    const now = BigInt(start + step) * 10n ** 12n
    const decided = decideChange(memory, change, { now, newId: known => known.nextCountedId('bd') })
    if (isRefusal(decided)) continue
    for (const row of decided.rows) {
      const before = memory.get(row.id)
      memory.put(row)
      log.push(...eventsOf(before, row))
    }
  }
  return { memory, log }
}

function memoryOf(rows: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of rows) memory.put(row)
  return memory
}

describe('two branches of any work', () => {
  const empty: Branch = { memory: new IssueMemory(), log: [] }
  const linesOf = ({ log }: Branch) => log.map(event => ({ event, text: printEvent(event) }))

  test('merge alike both ways, keep every issue, and complete the merged log', () => {
    fc.assert(
      fc.property(anyWork, anyWork, anyWork, fc.nat(20), (before, left, right, skew) => {
        const base = worked(empty, before, 1_000)
        const [ours, theirs] = [worked(base, left, 1_100), worked(base, right, 1_100 + skew)]
        const all = [base, ours, theirs].map(({ memory }) => memory.all())
        const [b = [], o = [], t = []] = all
        const merged = merge(b, o, t)
        expect(merge(b, t, o)).toEqual(merged)
        const made = [...new Set([...o, ...t].map(row => row.created_at + row.id))]
        expect(merged.rows).toHaveLength(made.length)

        const union = mergeEvents(linesOf(base), linesOf(ours), linesOf(theirs))
        expect(mergeEvents(linesOf(base), linesOf(theirs), linesOf(ours))).toEqual(union)
        const log = union.map((text, index) => {
          const event = readEventLine(text)
          if (event instanceof BadRow) throw new Error(event.why)
          return { event, line: index + 1 }
        })
        const memory = memoryOf(merged.rows)
        const lack = replayOf(log)
          .missing(memory)
          .map((event, index) => ({ event, line: -index }))
        const replayed = replayEvents([...log, ...lack])
        if (replayed instanceof BadEvent) throw new Error(replayed.why)
        expect(replayed.snapshotRef(sha256)).toBe(memory.snapshotRef(sha256))
      }),
    )
  })
})
