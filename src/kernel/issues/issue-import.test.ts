import { describe, expect, test } from 'vitest'
import { aLanding } from '../../../test/a-landing.ts'
import type { Dependency } from '../../wire/issue/issue.ts'
import { BadRow, fenceOf, type Issue, readIssue } from './issue.ts'
import { type ImportConflict, importIssues, replayIssues } from './issue-import.ts'
import { IssueMemory } from './issue-memory.ts'
import { landingOf } from './landing/landing-state.ts'
import { knows } from './merge/row-merge.ts'

const now = 1_000_000_000_000_000_000n

function issue(id: string, more: Partial<Issue> = {}): Issue {
  const time = '2001-01-01T00:00:00Z'
  const row = readIssue({ id, title: 'T', created_at: time, updated_at: time })
  if (row instanceof BadRow) throw new Error(row.why)
  return { ...row, ...more }
}

function memoryOf(...issues: readonly Issue[]): IssueMemory {
  const memory = new IssueMemory()
  for (const row of issues) memory.put(row)
  return memory
}

const lease = (expires_at: string) => ({
  lease_id: 'l',
  owner: 'ann',
  acquired_at: '2001-01-01T00:00:00Z',
  expires_at,
})
const held = lease('2100-01-01T00:00:00Z')
const ranOut = lease('2001-09-09T01:46:40Z')

const blocks = (issue_id: string, depends_on_id: string): readonly Dependency[] => [
  { issue_id, depends_on_id, type: 'blocks', created_by: '' },
]

const imported = (memory: IssueMemory, rows: readonly Issue[], onConflict: ImportConflict) =>
  importIssues(memory, rows, onConflict, now)

describe('imported rows', () => {
  test('without times get the time of the import, once', () => {
    const bare = { ...issue('bd-1'), created_at: undefined, updated_at: undefined }
    const came = imported(new IssueMemory(), [bare], 'fail')
    const time = '2001-09-09T01:46:40Z'
    expect(came).toMatchObject({ rows: [{ created_at: time, updated_at: time }] })
    const memory = memoryOf(issue('bd-1'))
    expect(imported(memory, [bare], 'fail')).toEqual({ rows: [], issue: undefined })
  })

  const mine = issue('bd-1', { metadata: { premathFence: 3 } })
  const other = issue('bd-1', { title: 'Other' })

  test.each<[string, readonly Issue[], ImportConflict, readonly Issue[]]>([
    ['are added when they are new', [issue('bd-2')], 'fail', [issue('bd-2')]],
    ['are nothing new when they are the same', [mine], 'fail', []],
    [
      'are nothing new when only their edges stand in another order',
      [issue('bd-3', { dependencies: [...blocks('bd-3', 'bd-1'), ...blocks('bd-3', 'bd-2')] })],
      'fail',
      [],
    ],
    ['stay out where mine is kept', [other, issue('bd-2')], 'keep', [issue('bd-2')]],
    [
      'replace mine, with the larger fence',
      [other],
      'replace',
      [{ ...other, metadata: { premathFence: 3 } }],
    ],
    [
      'count by the last row of an id',
      [issue('bd-2'), issue('bd-2', { title: 'Last' })],
      'fail',
      [issue('bd-2', { title: 'Last' })],
    ],
  ])('%s', (_, rows, onConflict, taken) => {
    const dependencies = [...blocks('bd-3', 'bd-2'), ...blocks('bd-3', 'bd-1')]
    const memory = memoryOf(mine, issue('bd-3', { dependencies }))
    expect(imported(memory, rows, onConflict)).toEqual({ rows: taken, issue: undefined })
  })

  test('are all refused when one exists with another content', () => {
    expect(imported(memoryOf(mine), [issue('bd-2'), other], 'fail')).toMatchObject({
      failureClass: 'issue_import_conflict',
      diagnostic: '1 of the ids exist with another content: bd-1',
    })
  })

  test('are refused in a readable list if there are many', () => {
    const many = Array.from({ length: 80 }, (_, n) => issue(`bd-${n}`))
    const others = many.map(row => ({ ...row, title: 'Other' }))
    expect(imported(memoryOf(...many), others, 'fail')).toMatchObject({
      diagnostic: expect.stringMatching(/^80 of .*bd-49 and 30 more$/),
    })
  })

  test('do not take an issue from its holder until the lease expires', () => {
    expect(imported(memoryOf(issue('bd-1', { lease: held })), [other], 'replace')).toMatchObject({
      failureClass: 'lease_contention_active',
    })
    const left = memoryOf(issue('bd-1', { lease: ranOut }))
    expect(imported(left, [other], 'replace')).toMatchObject({ rows: [other] })
  })

  test('do not change an issue that is landing, even after its lease expired', () => {
    const metadata = { premathLanding: aLanding }
    const landing = issue('bd-1', { status: 'in_progress', lease: ranOut, metadata })
    const memory = memoryOf(landing)
    for (const row of [
      other,
      { ...landing, title: 'Other' },
      { ...landing, metadata: undefined },
    ]) {
      expect(imported(memory, [row], 'replace')).toMatchObject({ failureClass: 'issue_landing' })
      expect(imported(memory, [row], 'keep')).toMatchObject({ rows: [] })
    }
    expect(imported(memory, [landing], 'fail')).toMatchObject({ rows: [] })
    expect(replayIssues(memory, memoryOf(other), now)).toMatchObject({
      failureClass: 'issue_landing',
    })
  })

  test('bring no landing along', () => {
    const landing = { premathLanding: aLanding }
    const theirs = issue('bd-1', { metadata: { ...landing, premathFence: 4 } })
    const taken = [{ metadata: { premathFence: 4 } }]
    expect(imported(memoryOf(), [theirs], 'fail')).toMatchObject({ rows: taken })
    expect(imported(memoryOf(mine), [theirs], 'replace')).toMatchObject({ rows: taken })
    for (const memory of [memoryOf(), memoryOf(mine)]) {
      const outcome = imported(memory, [theirs], 'replace')
      expect('rows' in outcome && outcome.rows.map(landingOf)).toEqual([undefined])
    }
  })

  test('keep a fence that is larger than the current one', () => {
    const theirs = issue('bd-1', { metadata: { premathFence: 9 } })
    const outcome = imported(memoryOf(mine), [theirs], 'replace')
    expect('rows' in outcome && outcome.rows.map(fenceOf)).toEqual([9])
  })

  test('open again over a closed issue with the record of its close, as a reopening does', () => {
    const premathClose = { by: 'verify', treeDigest: 'tree1_0' }
    const closed = issue('bd-1', { status: 'closed', metadata: { premathClose } })
    const opened = issue('bd-1', { title: 'Again' })
    const came = imported(memoryOf(closed), [opened], 'replace')
    expect(came).toMatchObject({ rows: [{ status: 'open', metadata: { premathClose } }] })
    const [row] = 'rows' in came ? came.rows : []
    expect(row && knows(row, closed)).toBe(true)
    expect(imported(memoryOf(row ?? closed), [opened], 'replace')).toMatchObject({ rows: [] })
  })

  test('may not close a cycle, unless memory had one before', () => {
    const one = issue('bd-1', { dependencies: blocks('bd-1', 'bd-2') })
    const two = issue('bd-2', { dependencies: blocks('bd-2', 'bd-1') })
    expect(imported(memoryOf(one), [two], 'fail')).toMatchObject({
      failureClass: 'dependency_cycle',
      diagnostic: 'dependency cycle detected: bd-1 -> bd-2 -> bd-1',
    })
    const three = issue('bd-3', { dependencies: blocks('bd-3', 'bd-1') })
    expect(imported(memoryOf(one, two), [three], 'fail')).toMatchObject({ rows: [three] })
  })
})

describe('rows of a log', () => {
  test('replace all of memory', () => {
    const log = memoryOf(issue('bd-2'), issue('bd-1'))
    expect(replayIssues(memoryOf(issue('bd-3')), log, now)).toEqual([issue('bd-1'), issue('bd-2')])
  })

  test('never replace a memory with an empty one', () => {
    expect(replayIssues(memoryOf(issue('bd-1')), memoryOf(), now)).toMatchObject({
      failureClass: 'replay_log_empty',
    })
  })

  test('leave held issues alone, and may repeat them', () => {
    const mine = issue('bd-1', { lease: held })
    expect(replayIssues(memoryOf(mine), memoryOf(issue('bd-1')), now)).toMatchObject({
      failureClass: 'lease_contention_active',
    })
    expect(replayIssues(memoryOf(mine), memoryOf(mine), now)).toEqual([mine])
  })
})
