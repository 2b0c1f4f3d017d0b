import { expect, test } from 'vitest'
import { expectedLines, linesOf, matchLines, writtenLine } from './expected-lines.ts'

const kinds = (block: string) => expectedLines(block).map(({ kind }) => kind)

/** For the patterns of markers only: `\A` and `\z` in JavaScript. */
const fits = (text: string, pattern: string) =>
  new RegExp(pattern.replaceAll('\\A', '^').replaceAll('\\z', '$'), 'u').test(text)

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
  expect(expectedLines('a (no-eol)\nb+ (re) (no-eol)\n')).toMatchObject([
    { written: 'a (no-eol)', kind: 'literal', isOpen: false },
    { written: 'b+ (re) (no-eol)', kind: 're', isOpen: true },
  ])
})

test('flags stay at the start of a pattern that covers the whole line', () => {
  expect(expectedLines('(?i)a|b (re)')[0]?.text).toBe('(?i)\\A(?:a|b)\\z')
})

test.each([
  'a',
  'a\n',
  '',
  '\n',
  'x (re)\n',
  '(any)\n',
  '(any*)',
  'a (no-eol)',
  'a (no-eol)\n',
  '*\\ (glob)\n',
])('a block of written lines matches exactly the text: %j', text => {
  const block = linesOf(text).map(writtenLine).join('\n')
  const whole = text === '' ? '' : `${block}\n`
  expect(matchLines(whole, text, fits)).toBe(true)
  expect(matchLines(whole, `${text}a`, fits)).toBe(false)
  expect(matchLines(whole, `${text}\n`, fits)).toBe(false)
})

test('the number of comparisons is bounded by the product of both lengths, and can be limited', () => {
  const block = `${'(any*)\na\n'.repeat(30)}b\n`
  let tests = 0
  const counted = (most: number) => () => ++tests <= most
  expect(matchLines(block, 'a\n'.repeat(200), fits, counted(61 * 201))).toBe(false)
  expect(tests).toBeLessThanOrEqual(61 * 201)
  tests = 0
  expect(matchLines('(any*)\n', 'a\n', fits, counted(0))).toBe(false)
})
