import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Page } from '../answer.ts'
import { widthOf } from '../kernel/text/text-width.ts'
import { countLine, limited, table } from './table.ts'

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

test('a column marked as whole is not cut, and the others shrink', () => {
  const row = ['A', 'docs/of/some/depth/and/more/names.spec.md:12', 'A title that is long']
  const at = (columns: number) =>
    table(['id', 'place', 'title'], [row], page(columns), ['title'], ['place']).split('\n')[1]
  expect(at(60)).toBe('A   docs/of/some/depth/and/more/names.spec.md:12  A title t…')
  expect(at(50)).toBe('A   docs/of/some/depth/and/more/names.spec.md:12')
  expect(at(20)).toBe('A   docs/of/some/depth/and/more/names.spec.md:12')
})

test('the widest columns shrink first', () => {
  const row = ['premath-very-long-id-1234', '1', 'waiting_for_review', 'somebody@example.org', 'T']
  const text = table(['id', 'pri', 'status', 'assignee', 'title'], [row], page(60))
  expect(text).toBe(
    [
      'id              pri  status           assignee         title',
      'premath-very-…  1    waiting_for_re…  somebody@examp…  T',
      '',
    ].join('\n'),
  )
})

test('a table that is still too wide drops columns: the least important first, then from the right', () => {
  const head = ['id', 'status', 'owner', 'title']
  const row = ['issue-1', 'in_progress', 'somebody', 'Make it fit']
  const titles = (columns: number, ...leastFirst: string[]) =>
    table(head, [row], page(columns), leastFirst).split('\n')[0]?.split(/ +/)
  expect(titles(30, 'owner')).toEqual(['id', 'status', 'owner', 'title'])
  expect(titles(29, 'owner')).toEqual(['id', 'status', 'title'])
  expect(titles(20, 'status', 'owner')).toEqual(['id', 'title'])
  expect(titles(20)).toEqual(['id', 'status'])
})

/** With the columns each takes, so that nothing is measured by what is to be tested. */
const characters = [
  ['a', 1],
  ['é', 1],
  ['e\u0301', 1],
  ['日', 2],
  ['한', 2],
  ['🎉', 2],
] as const

const measured = (line: string) =>
  characters.reduce(
    ({ rest, width }, [character, columns]) => {
      const parts = rest.split(character)
      return { rest: parts.join(''), width: width + columns * (parts.length - 1) }
    },
    { rest: line, width: 0 },
  )

test('every line fits the page, and the first column is always shown', () => {
  const cell = fc.string({
    unit: fc.constantFrom(...characters.map(([one]) => one)),
    maxLength: 70,
  })
  const some = { minLength: 1, maxLength: 7 }
  const given = fc.array(cell, some).chain(head =>
    fc.record({
      head: fc.constant(['#', ...head]),
      rows: fc.array(fc.array(cell, { ...some, minLength: head.length }), some),
      leastFirst: fc.subarray(head),
      columns: fc.integer({ min: 20, max: 200 }),
    }),
  )
  fc.assert(
    fc.property(given, ({ head, rows, leastFirst, columns }) => {
      const shown = rows.map(row => ['#', ...row])
      const lines = table(head, shown, page(columns), leastFirst).split('\n').slice(0, -1)
      for (const line of lines) {
        const { rest, width } = measured(line)
        expect(width + rest.length).toBeLessThanOrEqual(columns)
        expect(line).toMatch(/^#/)
      }
      expect(lines.length).toBe(rows.length + 1)
    }),
  )
})

test('every other column stays within its share', () => {
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

test('terminal control characters are escaped', () => {
  expect(table(['id'], [['a\u001b[2Jb\nc']], page(60))).toContain('a\\u001b[2Jb\\u000ac')
})

test('an empty list prints no table, only a line that says so', () => {
  expect(table(['id'], [], page(80))).toBe('')
  expect(countLine({ count: 0 }, 'issue', page(80))).toBe('No issues.\n')
  expect(countLine({ count: 0 }, 'issue', page(80), ' to land')).toBe('No issues to land.\n')
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

test('one item is counted in the singular', () => {
  expect(countLine({ count: 1 }, 'issue', page(80))).toBe('1 issue\n')
  expect(countLine({ count: 1 }, 'issue', page(80), ' to land')).toBe('1 issue to land\n')
})
