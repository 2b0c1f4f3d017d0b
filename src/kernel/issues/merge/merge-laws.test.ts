/** Laws that a merge keeps where the versions of git say less than the rows do. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../json.ts'
import { BadRow, type Issue, readIssue } from '../issue.ts'
import { mergeIssues } from './issue-merge.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const at = (second: number) => `2026-02-22T00:00:${String(second).padStart(2, '0')}Z`

function issue(id: string, more: Partial<Issue> = {}): Issue {
  const row = readIssue({ id, title: 'T', created_at: at(0), updated_at: at(0) })
  if (row instanceof BadRow) throw new Error(row.why)
  return { ...row, ...more }
}

type Rows = readonly Issue[]
/** The rows of a file: the last one of an id counts. */
const lastOf = (rows: Rows) => new Map(rows.map(row => [row.id, row]))
const earlierOf = (rows: Rows) =>
  new Map(
    [...lastOf(rows)].map(([id, last]) => [id, rows.filter(row => row.id === id && row !== last)]),
  )

/** Merges both ways round, which must not matter. */
function merge(base: Rows, ours: Rows, theirs: Rows) {
  const merged = (left: Rows, right: Rows) =>
    mergeIssues(
      {
        base: lastOf(base),
        ours: lastOf(left),
        theirs: lastOf(right),
        earlier: { ours: earlierOf(left), theirs: earlierOf(right) },
      },
      sha256,
    )
  const there = merged(ours, theirs)
  expect(merged(theirs, ours)).toEqual(there)
  return there
}

const lease = (owner: string) => ({
  lease_id: `lease1_bd-1_${owner}`,
  owner,
  acquired_at: at(1),
  expires_at: at(31),
})
const held = (owner: string, premathFence: number, second: number): Partial<Issue> => ({
  status: 'in_progress',
  assignee: owner,
  lease: lease(owner),
  updated_at: at(second),
  metadata: { premathFence },
})
const closed = (second: number, by: string, more: JsonObject = {}): Partial<Issue> => ({
  status: 'closed',
  closed_at: at(second),
  updated_at: at(second),
  metadata: { premathFence: 1, premathClose: { by, ...more } },
})

describe('a close with a record', () => {
  test.each([
    ['verify', 5],
    ['verify', 2],
    ['force', 2],
  ])(
    '[memory.2.closes] by %s at second %i wins over a claim made elsewhere, with a larger fence too',
    (by, second) => {
      const { rows, conflicts } = merge(
        [issue('bd-1')],
        [issue('bd-1', closed(second, by))],
        [issue('bd-1', held('bob', 3, 4))],
      )
      expect(rows).toMatchObject([
        {
          status: 'closed',
          closed_at: at(second),
          lease: undefined,
          metadata: { premathFence: 3, premathClose: { by } },
        },
      ])
      expect(conflicts.map(({ field }) => field)).toEqual(['status', 'assignee', 'lease'])
    },
  )

  test('[memory.2.closes] gives way to a reopening that knew it', () => {
    const reopened = held('ann', 2, 9)
    const row = issue('bd-1', {
      ...reopened,
      metadata: { premathFence: 2, premathClose: { by: 'verify' } },
    })
    // The base is too old after a squash: it knows neither.
    expect(merge([issue('bd-1')], [issue('bd-1', closed(5, 'verify'))], [row]).rows).toEqual([row])
  })

  test('[memory.2.closes] does not give way to the same close again after a reopening', () => {
    const metadata = { premathFence: 1, premathClose: { by: 'force' } }
    const reopened = issue('bd-1', { updated_at: at(6), metadata })
    const { rows } = merge(
      [reopened],
      [issue('bd-1', closed(7, 'force'))],
      [issue('bd-1', { ...held('bob', 2, 8), metadata: { ...metadata, premathFence: 2 } })],
    )
    expect(rows).toMatchObject([{ status: 'closed', closed_at: at(7) }])
  })

  test('[memory.2.closes] that is proven wins over one by force, and keeps its record', () => {
    const proven = closed(2, 'verify', { treeDigest: 'x' })
    const { rows, conflicts } = merge(
      [issue('bd-1')],
      [issue('bd-1', proven)],
      [issue('bd-1', closed(9, 'force', { reason: 'r' }))],
    )
    expect(rows).toMatchObject([{ closed_at: at(2), metadata: proven.metadata as object }])
    expect(conflicts).toContainEqual({
      issueId: 'bd-1',
      field: 'metadata.premathClose',
      value: { by: 'force', reason: 'r' },
    })
  })
})

describe('an issue with another id by then', () => {
  const first = issue('bd-7', { title: 'First', created_at: at(1) })
  const second = issue('bd-7', { title: 'Second', created_at: at(2) })
  const waits = issue('bd-8', {
    dependencies: [{ issue_id: 'bd-8', depends_on_id: 'bd-7', type: 'blocks', created_by: '' }],
  })
  const squashed = merge([], [first], [second, waits]).rows
  const renamed = squashed.find(({ title }) => title === 'Second')?.id ?? ''

  test('[memory.2.same-issue] is not there twice when its branch is merged after a squash or a cherry-pick', () => {
    expect(merge([], squashed, [second, waits]).rows).toEqual(squashed)
    const edited = issue('bd-7', { ...second, priority: 0, updated_at: at(9) })
    const { rows, renamed: again } = merge([], squashed, [second, edited, waits])
    expect(rows.map(({ id, title, priority }) => [id, title, priority])).toEqual([
      ['bd-7', 'First', 2],
      [renamed, 'Second', 0],
      ['bd-8', 'T', 2],
    ])
    expect(again).toEqual([])
    expect(rows.at(-1)?.dependencies[0]?.depends_on_id).toBe(renamed)
  })

  test('[memory.2.same-issue] keeps its edges when the branch of the other one picks them', () => {
    // Ours never had the second issue, which the parent of the commit had.
    const { rows } = merge([second], [first], [second, waits])
    expect(rows.map(({ id, title }) => [id, title])).toEqual([
      ['bd-7', 'First'],
      [renamed, 'Second'],
      ['bd-8', 'T'],
    ])
    expect(rows.at(-1)?.dependencies[0]?.depends_on_id).toBe(renamed)
  })

  test('[memory.2.same-issue] has the shorter of two ids that merges gave it', () => {
    const other = squashed.map(row => (row.id === renamed ? { ...row, id: `${renamed}0` } : row))
    expect(merge([], squashed, other).rows.map(({ id }) => id)).toEqual(['bd-7', renamed, 'bd-8'])
  })

  test('[memory.2.same-issue] becomes one again where an earlier merge kept it twice', () => {
    const twice = [
      ...squashed,
      { ...second, id: `${renamed}0`, metadata: { premathMergedFrom: 'bd-7' } },
    ]
    expect(merge([], twice, [first]).rows.map(({ id }) => id)).toEqual(['bd-7', renamed, 'bd-8'])
  })
})

describe('a row that a clone without a driver left out of a merge', () => {
  const was = issue('bd-1')
  const comment = { id: 1, issue_id: 'bd-1', author: 'bob', text: 'hm', created_at: at(3) }
  const theirs = issue('bd-1', {
    notes: 'theirs',
    updated_at: at(3),
    dependencies: [{ issue_id: 'bd-1', depends_on_id: 'bd-2', type: 'blocks', created_by: '' }],
    others: { comments: [comment] },
    metadata: { premathFence: 1 },
  })
  const ours = issue('bd-1', { title: 'Ours', updated_at: at(9) })

  test('[memory.2.nothing-lost] is merged with what that clone has done, from the last row that both had', () => {
    // git takes theirs as the base: the merge that left it out has it as a parent.
    const { rows, conflicts } = merge([theirs], [was, ours], [was, theirs])
    expect(rows).toEqual([{ ...theirs, title: 'Ours', updated_at: at(9) }])
    expect(conflicts).toEqual([])
  })

  test('[memory.2.nothing-lost] stands if that clone has done nothing', () => {
    expect(merge([theirs], [was], [was, theirs]).rows).toEqual([theirs])
  })

  test('[memory.2.nothing-lost] keeps its comments, its edges and its fence also if compaction removed the rows before', () => {
    const { rows } = merge([theirs], [ours], [theirs])
    expect(rows).toMatchObject([
      { title: 'Ours', others: { comments: [comment] }, metadata: { premathFence: 1 } },
    ])
    expect(rows[0]?.dependencies).toHaveLength(1)
  })
})

describe('a merge that is made once more', () => {
  const claimed = issue('bd-1', held('ann', 1, 2))
  const freed = issue('bd-1', { updated_at: at(3), metadata: { premathFence: 1 } })

  test('[memory.2.once] brings no released lease back', () => {
    const before = [issue('bd-1')]
    const [row] = merge(before, [claimed, freed], [claimed]).rows
    expect(row).toMatchObject({ status: 'open', lease: undefined })
    // As after a squash: git has the old base, and the file has one row of each issue.
    const again = merge(before, [row ?? freed], [claimed]).rows
    expect(again).toMatchObject([
      { status: 'open', lease: undefined, metadata: { premathFence: 1 } },
    ])
  })

  test('[memory.2.once] keeps a later row where a person took an older one', () => {
    const older = issue('bd-1')
    const later = issue('bd-1', { title: 'later', updated_at: at(5) })
    expect(merge([later], [later], [older]).rows).toMatchObject([{ title: 'later' }])
  })
})
