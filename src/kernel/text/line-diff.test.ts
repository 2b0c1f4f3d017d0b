import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type DiffLine, lineDiff } from './line-diff.ts'

const marked = (expected: string, actual: string) =>
  lineDiff([...expected], [...actual]).map(({ lines }) =>
    lines.map(({ mark, line }) => mark + line).join(' '),
  )

test('equal lines have no hunk', () => {
  expect(marked('abc', 'abc')).toEqual([])
  expect(marked('', '')).toEqual([])
})

test('a removed line stands before the added one', () => {
  expect(marked('abc', 'axc')).toEqual([' a -b +x  c'])
  expect(marked('ab', '')).toEqual(['-a -b'])
  expect(marked('', 'ab')).toEqual(['+a +b'])
})

test('distant changes get separate hunks with their line numbers', () => {
  const hunks = lineDiff([...'abcdefghijklm'], [...'Xbcdefghijklm2'])
  expect(hunks.map(({ expectedFrom, actualFrom }) => [expectedFrom, actualFrom])).toEqual([
    [1, 1],
    [11, 11],
  ])
})

test('the caller decides which lines are the same, and the actual line is shown', () => {
  const expected = ['start', 'took * ms', 'end']
  const actual = ['start', 'took 12 ms', 'end.']
  const isSame = (at: number, to: number) => at === to && at < 2
  const [hunk] = lineDiff(expected, actual, isSame)
  expect(hunk?.lines.map(({ mark, line }) => mark + line)).toEqual([
    ' start',
    ' took 12 ms',
    '-end',
    '+end.',
  ])
})

const without = (lines: readonly DiffLine[], mark: DiffLine['mark']) =>
  lines.filter(one => one.mark !== mark).map(({ line }) => line)

const sharedMost = (a: readonly string[], b: readonly string[]): number => {
  const row = new Array<number>(b.length + 1).fill(0)
  for (const one of a) {
    let corner = 0
    for (let at = 1; at <= b.length; at++) {
      const above = row[at] ?? 0
      row[at] = one === b[at - 1] ? corner + 1 : Math.max(above, row[at - 1] ?? 0)
      corner = above
    }
  }
  return row.at(-1) ?? 0
}

test('hunks turn the expected lines into the actual ones with as few changes as possible', () => {
  const some = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 25 })
  fc.assert(
    fc.property(some, some, (expected, actual) => {
      const hunks = lineDiff(expected, actual)
      const rebuilt: string[] = []
      let at = 0
      for (const { expectedFrom, actualFrom, lines } of hunks) {
        rebuilt.push(...expected.slice(at, expectedFrom - 1))
        expect(rebuilt.length).toBe(actualFrom - 1)
        const old = without(lines, '+')
        expect(expected.slice(expectedFrom - 1, expectedFrom - 1 + old.length)).toEqual(old)
        rebuilt.push(...without(lines, '-'))
        at = expectedFrom - 1 + old.length
      }
      rebuilt.push(...expected.slice(at))
      expect(rebuilt).toEqual(actual)
      const changed = hunks.flatMap(({ lines }) => lines).filter(({ mark }) => mark !== ' ').length
      const fewest = expected.length + actual.length - 2 * sharedMost(expected, actual)
      expect(changed).toBe(fewest)
    }),
  )
})

test('a few changes in many lines are found', () => {
  const many = Array.from({ length: 40_000 }, (_, at) => `line ${at}`)
  const changed = many.map((line, at) => (at % 19_000 === 500 ? 'other' : line))
  expect(lineDiff(many, changed)).toHaveLength(3)
})

test('a part with too many changes is replaced whole', () => {
  const many = (word: string) => Array.from({ length: 3_000 }, (_, at) => `${word}${at}`)
  const [hunk, ...more] = lineDiff(['same', ...many('a')], ['same', ...many('b')])
  expect(more).toEqual([])
  expect(hunk?.lines).toHaveLength(6_001)
})
