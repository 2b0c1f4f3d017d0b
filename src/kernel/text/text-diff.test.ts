import { expect, test } from 'vitest'
import { unifiedDiff } from './text-diff.ts'

const lines = (...all: readonly string[]) => all.map(line => `${line}\n`).join('')

test('equal texts have no difference', () => {
  expect(unifiedDiff('a\n', 'a\n', 'f')).toBe('')
})

test('distant changes get separate hunks', () => {
  const numbers = Array.from({ length: 20 }, (_, at) => String(at + 1))
  const next = numbers.map(one => (one === '2' ? 'two' : one)).filter(one => one !== '19')
  expect(unifiedDiff(lines(...numbers), lines(...next), 'f')).toBe(
    lines(
      '--- f',
      '+++ f',
      '@@ -1,5 +1,5 @@',
      ...[' 1', '-2', '+two', ' 3', ' 4', ' 5'],
      '@@ -16,5 +16,4 @@',
      ...[' 16', ' 17', ' 18', '-19', ' 20'],
    ),
  )
})

test('a missing last line feed is a difference', () => {
  expect(unifiedDiff('a\n', 'a', 'f')).toBe(
    lines('--- f', '+++ f', '@@ -1,1 +1,1 @@', '-a', '+a', '\\ No newline at end of file'),
  )
  expect(unifiedDiff('', 'a\n', 'f')).toBe(lines('--- f', '+++ f', '@@ -0,0 +1,1 @@', '+a'))
})
