import { expect, test } from 'vitest'
import { type ExpectedLine, expectedLines, matchLines } from './expected-lines.ts'

const kinds = (block: string) => expectedLines(block).lines.map(({ kind }) => kind)

test('a marker at the end of a line gives its kind', () => {
  expect(kinds('a\nb.* (re)\nc* (glob)\nany (any)\n(any*)\nd(re)\n')).toEqual([
    'literal',
    're',
    'glob',
    'any',
    'any*',
    'literal',
  ])
})

test('only the last line can lack a line feed, and keeps its written form', () => {
  const { lines, isOpen } = expectedLines('a (no-eol)\nb+ (re) (no-eol)\n')
  expect(isOpen).toBe(true)
  expect(lines.map(({ written }) => written)).toEqual(['a (no-eol)', 'b+ (re) (no-eol)'])
  expect(lines.map(({ kind }) => kind)).toEqual(['literal', 're'])
})

test('flags stay at the start of a pattern that covers the whole line', () => {
  expect(expectedLines('(?i)a|b (re)').lines[0]?.text).toBe('(?i)\\A(?:a|b)\\z')
})

test('the number of comparisons is bounded by the product of both lengths', () => {
  let tests = 0
  const isSame = (line: string, { kind, text }: ExpectedLine) => {
    tests++
    return kind !== 'literal' || line === text
  }
  const block = `${'(any*)\na\n'.repeat(30)}b\n`
  expect(matchLines(block, 'a\n'.repeat(200), isSame)).toBe(false)
  expect(tests).toBeLessThanOrEqual(61 * 200)
})
