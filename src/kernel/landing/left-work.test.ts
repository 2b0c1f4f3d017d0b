import { expect, test } from 'vitest'
import { indexInfo, leftFiles, printLeftWork, readLeftWork, readStates } from './left-work.ts'

const states = readStates([
  ':100644 100644 aaa bbb M',
  'changed.md',
  ':000000 100644 000 ccc A',
  'added.md',
])

const work = { head: 'h1', kept: ['100644 bbb changed.md'], left: null, headAfter: 'h1' }
const paths = (record: Parameters<typeof leftFiles>[0], head: string, committed: string[] = []) =>
  leftFiles(record, states, { head, isCommitted: path => committed.includes(path) }).map(
    ({ path }) => path,
  )

test('what was there before the work is not left by it', () => {
  expect(paths(work, 'h1')).toEqual(['added.md'])
  expect(paths({ ...work, kept: [] }, 'h1')).toEqual(['changed.md', 'added.md'])
})

test('a file that changed after the work is not left by it', () => {
  expect(paths({ ...work, left: ['100644 other added.md'] }, 'h1')).toEqual([])
  expect(paths({ ...work, left: ['100644 ccc added.md'] }, 'h1')).toEqual(['added.md'])
})

test('a person takes over what a later commit has, unless the work may have made that commit', () => {
  const left = { ...work, left: ['100644 ccc added.md'] }
  expect(paths(left, 'h2', ['added.md'])).toEqual([])
  expect(paths(left, 'h1', ['added.md'])).toEqual(['added.md'])
  expect(paths(work, 'h2', ['added.md'])).toEqual(['added.md'])
})

test('the files are put back as they are in the commit', () => {
  const lines = ['100644 aaa\tchanged.md', '000000 000\tadded.md', '']
  expect(indexInfo(states).split('\0')).toEqual(lines)
})

test('a record is read as it was written, and a damaged one is none', () => {
  expect(readLeftWork(printLeftWork(work))).toEqual(work)
  expect(readLeftWork('{"head":1}')).toBeUndefined()
  expect(readLeftWork('')).toBeUndefined()
})
