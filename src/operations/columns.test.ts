import { expect, test } from 'vitest'
import { twoColumns, wrap } from './columns.ts'

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
