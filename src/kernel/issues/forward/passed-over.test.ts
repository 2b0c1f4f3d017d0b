/** Rows of others that stand in the file before a row that was acknowledged here. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BadRow, type Issue, printIssue, readIssue } from '../issue.ts'
import { byIdOf, endsOf } from './apart.ts'
import { fileDifference, rowsForward } from './forward.ts'
import { PassedOver } from './passed-over.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const at = (second: number) => `2026-02-22T00:00:${String(second).padStart(2, '0')}Z`

function row(second: number, members: object = {}): Issue {
  const issue = readIssue({
    id: 'bd-1',
    title: 'one',
    created_at: at(0),
    updated_at: at(second),
    ...members,
  })
  if (issue instanceof BadRow) throw new Error(issue.why)
  return issue
}

const linked = (...targets: readonly string[]) => ({
  dependencies: targets.map(depends_on_id => ({
    issue_id: 'bd-1',
    depends_on_id,
    type: 'blocks',
    created_by: 'ann',
  })),
})
const said = (text: string) => ({
  comments: [{ id: 1, issue_id: 'bd-1', author: 'bob', text, created_at: at(1) }],
})

/** The row that is appended to a file with these rows, where some were acknowledged in this order. */
function appended(inFile: readonly Issue[], known: readonly Issue[]) {
  const replaced = new Set(known.slice(0, -1).map(printIssue))
  const last = known.slice(-1).map(one => [one.id, one] as const)
  const acknowledged = {
    rows: new Map(last),
    wasReplaced: (text: string) => replaced.has(text),
  }
  const passed = new PassedOver(acknowledged)
  for (const one of inFile) passed.take(one)
  const ends = endsOf(inFile)
  const file = {
    rows: ends.last(),
    apart: ends.apart(),
    byId: byIdOf(inFile),
    passed,
    holds: () => true,
  }
  const difference = fileDifference(file, acknowledged)
  const history = { committed: new Set(inFile.map(printIssue)), past: new Set<string>() }
  const place = { file: 'file', mark: 'mark' }
  const rows = rowsForward(file, acknowledged, difference, history, place, sha256)
  return rows.map(({ dependencies, title, others }) => ({
    edges: dependencies.map(({ depends_on_id }) => depends_on_id),
    title,
    comments: (others?.['comments'] as { text: string }[] | undefined)?.map(({ text }) => text),
  }))
}

const base = row(1)
const theirs = row(2, linked('bd-2'))
const ours = row(3, said('here'))

test('[memory.2.patches] an edge of another clone is kept beside the comment that follows it', () => {
  const both = [{ edges: ['bd-2'], title: 'one', comments: ['here'] }]
  expect(appended([base, theirs, ours], [base, ours])).toEqual(both)
  expect(appended([theirs, ours], [base, ours])).toEqual(both)
})

test('[memory.2.patches] the last of several rows of the other clone counts, and what it took back', () => {
  const back = row(3, { title: 'two' })
  const mine = row(4, said('here'))
  expect(appended([base, theirs, back, mine], [base, mine])).toEqual([
    { edges: [], title: 'two', comments: ['here'] },
  ])
})

test('[memory.2.patches] an edge that was removed here stays removed, where the file has the row before', () => {
  const before = row(1, linked('bd-3'))
  const other = row(2, { ...linked('bd-3'), title: 'two' })
  const mine = row(3)
  expect(appended([before, other, mine], [before, mine])).toEqual([
    { edges: [], title: 'two', comments: undefined },
  ])
})

test('[memory.2.patches] rows that were all seen here are no sides of a merge', () => {
  expect(appended([base, theirs, ours], [base, theirs, ours])).toEqual([])
  expect(appended([base, theirs], [base, theirs])).toEqual([])
})

test('[memory.2.patches] the row of the other clone may be the newer one', () => {
  const newer = row(5, { title: 'two' })
  const mine = row(3, linked('bd-2'))
  expect(appended([newer, mine], [base, mine])).toEqual([
    { edges: ['bd-2'], title: 'two', comments: undefined },
  ])
})
