import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignLines, type LineStep } from './align-lines.ts'
import { expectedLines, linesOf, matchLines } from './expected-lines.ts'

const fits = (text: string, pattern: string) =>
  new RegExp(pattern.replaceAll('\\A', '^').replaceAll('\\z', '$'), 'u').test(text)

const aligned = (block: string, text: string) =>
  alignLines(expectedLines(block), linesOf(text), fits)

const shown = ({ expected, actual }: LineStep) => `${expected?.written ?? ''}|${actual?.text ?? ''}`

test.each([
  ['a\nb\n', 'a\nb\n', 'a|a b|b'],
  ['a\nb\nc\n', 'a\nc\n', 'a|a b| c|c'],
  ['a\nc\n', 'a\nb\nc\n', 'a|a |b c|c'],
  ['a\nb. (re)\nd\n', 'a\nb1\nc\n', 'a|a b. (re)|b1 d| |c'],
  ['a\n(any*)\nz\n', 'a\nb\nc\nz\n', 'a|a (any*)|b (any*)|c z|z'],
  ['a\n(any*)\nz\n', 'a\nz\n', 'a|a (any*)| z|z'],
  ['(any*)\nz\n', 'a\ny\n', '(any*)|a (any*)|y z|'],
  ['(any)\nb\n', 'b\n', '(any)| b|b'],
  ['a\n', 'a', 'a| |a'],
  ['a (no-eol)', 'a', 'a (no-eol)|a'],
  ['', 'a\n', '|a'],
])('%j with %j', (block, text, want) => {
  expect(aligned(block, text).map(shown).join(' ')).toBe(want)
})

test('a difference in many lines is found around it, or all lines differ', () => {
  const lines = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => `${from + at}\n`).join('')
  const near = aligned(`${lines(5_000)}x\n${lines(5_000)}`, `${lines(5_000)}y\n${lines(5_000)}`)
  expect(near.filter(one => !one.expected || !one.actual).map(shown)).toEqual(['x|', '|y'])
  const far = aligned(lines(2_000), lines(2_000, 5_000))
  expect(far.every(one => !one.expected || !one.actual)).toBe(true)
})

test('lines align without a difference exactly if they match', () => {
  const block = fc.array(fc.constantFrom('a', 'b', '[ab] (re)', '? (glob)', '(any)', '(any*)'))
  const text = fc.array(fc.constantFrom('a', 'b', 'c'))
  fc.assert(
    fc.property(block, text, fc.boolean(), (wanted, found, isOpen) => {
      const [whole, actual] = [wanted.join('\n'), found.join('\n') + (isOpen ? '' : '\n')]
      const steps = aligned(whole, actual)
      const isSame = steps.every(
        one => one.expected && (one.actual || one.expected.kind === 'any*'),
      )
      expect(isSame).toBe(matchLines(whole, actual, fits))
      expect(steps.flatMap(one => (one.actual ? [one.actual] : []))).toEqual(linesOf(actual))
      const kept = steps.flatMap(one => (one.expected ? [one.expected] : []))
      expect([...new Set(kept)]).toEqual(expectedLines(whole))
    }),
  )
})
