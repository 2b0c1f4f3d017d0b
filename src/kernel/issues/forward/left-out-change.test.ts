/** Rows of one id that were written apart, although no part of one contradicts the other. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { type Dependency, dependencyTypes } from '../../../wire/issue/issue.ts'
import { BadRow, type Issue, readIssue } from '../issue.ts'
import { sideOf } from './apart.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const at = (second: number) => `2026-02-22T00:00:${String(second).padStart(2, '0')}Z`

function row(second: number, members: object): Issue {
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

type Type = Dependency['type']
const edges = (...names: readonly (readonly [to: string, type: Type])[]) => ({
  dependencies: names.map(([depends_on_id, type]) => ({
    issue_id: 'bd-1',
    depends_on_id,
    type,
    created_by: 'ann',
  })),
})
const comments = (...texts: readonly string[]) => ({
  comments: texts.map((text, id) => ({
    id,
    issue_id: 'bd-1',
    author: 'bob',
    text,
    created_at: at(1),
  })),
})

/** The issue as a file says that has these rows. */
const read = (...rows: readonly Issue[]) => {
  const issue = sideOf(rows, sha256).rows.get('bd-1')
  return {
    edges: issue?.dependencies.map(({ type, depends_on_id }) => `${type} ${depends_on_id}`),
    title: issue?.title,
    priority: issue?.priority,
    comments: (issue?.others?.['comments'] as { text: string }[] | undefined)?.map(one => one.text),
  }
}

const [blocks, related] = dependencyTypes.filter(type => type === 'blocks' || type === 'related')
if (!blocks || !related) throw new Error('there are such edges')
const base = row(1, {})
const linked = row(2, edges(['bd-2', blocks]))
const said = row(3, comments('said'))

describe('an edge is kept', () => {
  test('[memory.2.patches] if the later row of another clone has a comment, and no edge', () => {
    expect(read(base, linked, said)).toMatchObject({ edges: ['blocks bd-2'], comments: ['said'] })
  })

  test('[memory.2.patches] if the file lacks the row that both were made from', () => {
    expect(read(linked, said)).toMatchObject({ edges: ['blocks bd-2'], comments: ['said'] })
  })

  test('[memory.2.patches] if the later row has another edge', () => {
    const other = row(3, edges(['bd-3', blocks]))
    for (const rows of [
      [base, linked, other],
      [linked, other],
    ]) {
      expect(read(...rows).edges).toEqual(['blocks bd-2', 'blocks bd-3'])
    }
  })

  test('[memory.2.patches] behind another row of its clone', () => {
    const titled = row(3, { ...edges(['bd-2', blocks]), title: 'new' })
    const later = row(4, comments('said'))
    expect(read(base, linked, titled, later)).toMatchObject({
      edges: ['blocks bd-2'],
      title: 'new',
      comments: ['said'],
    })
  })
})

test('[memory.2.patches] a text is kept if the later row has a comment or a claim, and the text before', () => {
  const titled = row(2, { title: 'new' })
  expect(read(base, titled, said)).toMatchObject({ title: 'new', comments: ['said'] })
  const claimed = row(3, { metadata: { premathFence: 1 }, status: 'in_progress', assignee: 'bob' })
  expect(read(base, titled, claimed).title).toBe('new')
})

describe('a change stays taken back', () => {
  test('[memory.2.patches] if a row removes the edge and does nothing else', () => {
    const unlinked = row(3, {})
    expect(read(base, linked, unlinked).edges).toEqual([])
    expect(read(linked, unlinked).edges).toEqual([])
    const later = row(4, comments('said'))
    expect(read(base, linked, unlinked, later).edges).toEqual([])
    expect(read(linked, unlinked, later).edges).toEqual([])
  })

  test('[memory.2.patches] if a row gives the edge another type', () => {
    const replaced = row(3, edges(['bd-2', related]))
    expect(read(base, linked, replaced).edges).toEqual(['related bd-2'])
    expect(read(linked, replaced).edges).toEqual(['related bd-2'])
  })

  test('[memory.2.patches] if one update sets a field back and another one', () => {
    const urgent = row(2, { priority: 0 })
    const back = row(3, { priority: 2, title: 'new' })
    expect(read(base, urgent, back)).toMatchObject({ priority: 2, title: 'new' })
  })
})

test('[memory.2.patches] a row of the same time counts, so that no two clones undo each other for ever', () => {
  const merged = row(3, { ...edges(['bd-2', blocks]), ...comments('said'), title: 'new' })
  expect(read(merged, said)).toMatchObject({ edges: [], title: 'one', comments: ['said'] })
})
