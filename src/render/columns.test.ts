import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hung, twoColumns, wrap, wrapBroken } from './columns.ts'

test('texts are aligned and wrapped inside their own column', () => {
  expect(
    twoColumns(
      [
        ['a', 'one two three four five six'],
        ['long', 'short'],
      ],
      32,
    ),
  ).toBe(['  a     one two three four five', '        six', '  long  short'].join('\n'))
})

test('a very long label keeps a line of its own', () => {
  const label = 'x'.repeat(40)
  expect(twoColumns([[label, 'text']], 80)).toBe(`  ${label}\n${' '.repeat(32)}text`)
})

test('a word longer than the page is not cut', () => {
  expect(wrap('a abcdefghij b', 5)).toEqual(['a', 'abcdefghij', 'b'])
})

test('a line is counted as the terminal shows it', () => {
  expect(wrap('日本 日本 日本', 9)).toEqual(['日本 日本', '日本'])
})

test('or the word continues in the next line', () => {
  expect(wrapBroken('a abcdefghij b', 5)).toEqual(['a', 'abcde', 'fghij', 'b'])
  expect(wrapBroken('日本日本', 5)).toEqual(['日本', '日本'])
})

test('a text hangs behind its lead', () => {
  expect(hung('  - ', 'one two three', 11)).toEqual(['  - one two', '    three'])
})

test('labels and texts fit any page if words may be broken', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '日'), maxLength: 60 })
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, text)),
      fc.integer({ min: 20, max: 200 }),
      (rows, columns) => {
        for (const line of twoColumns(rows, columns, wrapBroken).split('\n')) {
          const wide = line.split('日').length - 1
          expect(line.length + wide).toBeLessThanOrEqual(columns)
        }
      },
    ),
  )
})
