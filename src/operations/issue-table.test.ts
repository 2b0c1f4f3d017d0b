import { expect, test } from 'vitest'
import { countLine, limited, table, widthOf } from './issue-table.ts'
import type { Page } from './operation.ts'

const page = (columns: number): Page => ({ columns, ink: (_, text) => text })

test('columns are as wide as they need, and the last one is cut to fit', () => {
  const rows = [
    ['bd-1', 'open', 'Make the long title of this issue fit'],
    ['bd-10', 'in_progress', 'Short'],
  ]
  expect(table(['id', 'status', 'title'], rows, page(40))).toBe(
    [
      'id     status       title',
      'bd-1   open         Make the long title…',
      'bd-10  in_progress  Short',
      '',
    ].join('\n'),
  )
})

test('no other column takes more than its share', () => {
  const text = table(['id', 'title'], [['x'.repeat(90), 'T']], page(80))
  expect(text.split('\n')[1]).toBe(`${'x'.repeat(27)}…  T`)
})

test('a cell is counted as the terminal shows it', () => {
  expect(['abc', 'a\u0301', '日本', '🎉', 'é'].map(widthOf)).toEqual([3, 1, 4, 2, 1])
  const text = table(
    ['id', 'title'],
    [
      ['日本', 'x'],
      ['a', '日本'.repeat(9)],
    ],
    page(24),
  )
  expect(text).toBe('id    title\n日本  x\na     日本日本日本日本…\n')
})

test('what a terminal would obey is spelled out', () => {
  expect(table(['id'], [['a\u001b[2Jb\nc']], page(60))).toContain('a\\u001b[2Jb\\u000ac')
})

test('nothing has no table, only a line that says so', () => {
  expect(table(['id'], [], page(80))).toBe('')
  expect(countLine({ count: 0 }, 'issue', page(80))).toBe('No issues.\n')
})

test.each([
  [undefined, [1, 2, 3], { count: 3 }, '3 issues\n'],
  [2, [1, 2], { count: 2, total: 3 }, '2 of 3 issues\n'],
  [0, [], { count: 0, total: 3 }, '0 of 3 issues\n'],
  [9, [1, 2, 3], { count: 3, total: 3 }, '3 issues\n'],
])('with a limit of %s', (limit, shown, counts, line) => {
  expect(limited([1, 2, 3], limit)).toEqual({ shown, counts })
  expect(countLine(counts, 'issue', page(80))).toBe(line)
})

test('one is one', () => {
  expect(countLine({ count: 1 }, 'issue', page(80))).toBe('1 issue\n')
})
