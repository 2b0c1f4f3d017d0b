import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from './unified-diff.ts'

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

/** Takes a difference back to what was there, or forward to what is. */
function told(diff: string, mark: '-' | '+'): readonly string[] {
  return diff
    .split('\n')
    .slice(2, -1)
    .filter(line => line.startsWith(' ') || line.startsWith(mark))
    .map(line => line.slice(1))
}

test('each line is marked as removed, added or common', () => {
  const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 7 })
  fc.assert(
    fc.property(some, some, (before, after) => {
      fc.pre(before.join() !== after.join())
      const diff = unifiedDiff(lines(...before, 'z'), lines(...after, 'z'), 'f')
      const isWhole = diff.split('\n@@ ').length === 2
      fc.pre(isWhole && told(diff, '-').length === before.length + 1)
      expect([told(diff, '-'), told(diff, '+')]).toEqual([
        [...before, 'z'],
        [...after, 'z'],
      ])
    }),
  )
})

test('a hunk that is too large to compare is replaced whole', () => {
  const many = (word: string) => Array.from({ length: 2100 }, (_, at) => `${word}${at}`)
  const diff = unifiedDiff(lines(...many('a')), lines(...many('b')), 'f')
  expect(diff.split('\n').length).toBe(2 * 2100 + 4)
})
