import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'
import { printHunks } from './print-hunks.ts'

const printed = (expected: readonly string[], actual: readonly string[]) =>
  printHunks(lineDiff(expected, actual))

test('lines stay as they are', () => {
  expect(printed(['\t"a" \\n', 'b'], ['\t"a" \\n', 'c'])).toEqual([
    '@@ -1,2 +1,2 @@',
    ' \t"a" \\n',
    '-b',
    '+c',
  ])
})

test('white space is spelled out if only that differs', () => {
  expect(printed(['\ta', 'b'], ['  a', 'b '])).toEqual([
    '@@ -1,2 +1,2 @@',
    '-\\ta',
    '-b',
    '+  a',
    '+b\\u0020',
  ])
})

test('an empty side names the line before it', () => {
  expect(printed([], ['a'])).toEqual(['@@ -0,0 +1,1 @@', '+a'])
})

test('carriage returns are left out if all lines have one', () => {
  expect(printed(['a\r', 'b\r'], ['a\r', 'c\r'])).toEqual(['@@ -1,2 +1,2 @@', ' a', '-b', '+c'])
  expect(printed(['a\r'], ['a'])).toEqual(['@@ -1,1 +1,1 @@', '-a\\r', '+a'])
})

test('limits shorten long runs of both sides, long lines and the number of hunks', () => {
  const many = (word: string) => Array.from({ length: 30 }, (_, at) => `${word}${at}`)
  const limits = { lines: 6, chars: 3 }
  expect(printHunks(lineDiff(many('a'), many('b')), limits)).toEqual([
    '@@ -1,30 +1,30 @@',
    '-a0',
    '-a1',
    '-… 28 more lines',
    '+b0',
    '+b1',
    '+… 28 more lines',
  ])
  const far = [...'abcdefghijklmnop'].map(one => one.repeat(5))
  const lines = printHunks(lineDiff(far, ['X', ...far.slice(1, -1), 'Y']), { lines: 3, chars: 3 })
  expect(lines).toEqual([
    '@@ -1,4 +1,4 @@',
    '-aaa…',
    '+X',
    ' bbb…',
    ' … 2 more lines',
    '… 5 more lines',
  ])
})
