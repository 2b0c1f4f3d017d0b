/** Rows that contradict each other, of one issue or of two with the same id. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { BadRow, fenceOf, type Issue, readIssue } from '../issue.ts'
import { mendedRows } from './mend.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const at = (second: number) => `2026-02-22T00:00:${String(second).padStart(2, '0')}Z`

function issue(title: string, second: number, premathFence: number): Issue {
  const row = readIssue({
    id: 'bd-1',
    title,
    created_at: at(second),
    updated_at: at(second),
    metadata: { premathFence },
  })
  if (row instanceof BadRow) throw new Error(row.why)
  return row
}

const byAnn = issue('by ann', 1, 0)
const byBob = issue('by bob', 2, 3)
const mended = (inFile: readonly Issue[], acknowledged: readonly Issue[]) =>
  mendedRows(
    {
      inFile,
      acknowledged: new Map(acknowledged.map(row => [row.id, row])),
      logged: new Map(),
    },
    'merge',
    sha256,
  )

test.each([
  ['in the file', [byBob, byAnn], []],
  ['with the acknowledged one', [byAnn], [byBob]],
] as const)(
  '[memory.1.contradiction] two issues that share an id %s stay two',
  (_, inFile, known) => {
    const rows = mended(inFile, known)
    expect(rows.map(({ title }) => title).toSorted()).toEqual(['by ann', 'by bob'])
    const [ann] = rows.filter(({ title }) => title === 'by ann')
    expect(ann?.id).toBe('bd-1')
    expect(ann && fenceOf(ann)).toBe(3)
  },
)

test('[memory.1.contradiction] a row keeps the comment of the acknowledged one, as after a merge of one side', () => {
  const comments = [{ id: 1, issue_id: 'bd-1', author: 'ann', text: 'said', created_at: at(1) }]
  const base = issue('one', 1, 1)
  const said = { ...base, others: { comments } }
  const claimed = { ...base, metadata: { premathFence: 3 } }
  const [row] = mended([claimed, { ...base, title: 'later', updated_at: at(5) }], [said])
  expect(row).toMatchObject({ title: 'later', others: { comments } })
  expect(row && fenceOf(row)).toBe(3)
})
