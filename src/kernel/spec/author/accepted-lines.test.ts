import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchLines, type PatternTest, writtenLine } from '../lang/expected-lines.ts'
import { acceptedLines } from './accepted-lines.ts'

const matches: PatternTest<object> = (text, pattern) =>
  new RegExp(pattern.replace('\\A', '^').replace('\\z', '$'), 'su').test(text)

describe('a block that accepts another text', () => {
  test.each<[string, string, string, string]>([
    ['keeps the lines that fit', 'a\n\\d+ ms (re)\nc\n', 'a\n12 ms\nd\n', 'a\n\\d+ ms (re)\nd\n'],
    ['loses a line that is gone', 'a\nb\nc\n', 'a\nc\n', 'a\nc\n'],
    ['gains a line', '*.txt (glob)\nc\n', 'a.txt\nb\nc\n', '*.txt (glob)\nb\nc\n'],
    ['keeps (any*)', 'a\n(any*)\nz\n', 'b\nx\ny\nz\n', 'b\n(any*)\nz\n'],
    [
      'keeps (any*) before a changed line',
      'a\n(any*)\ny\nz\n',
      'a\n1\n2\nq\nz\n',
      'a\n(any*)\nq\nz\n',
    ],
    ['keeps (any*) at the end', 'a\n(any*)\n', 'b\n1\n2\n', 'b\n(any*)\n'],
    ['keeps (any*) that stands for nothing', 'a\n(any*)\nb\nc\n', 'a\nb\nd\n', 'a\n(any*)\nb\nd\n'],
    ['marks an open end', 'a\nb\n', 'a\nb', 'a\nb (no-eol)\n'],
    ['removes the mark of an open end', 'a (no-eol)\n', 'a\nb\n', 'a\nb\n'],
    ['is empty for an empty text', 'a\n', '', ''],
  ])('%s', (_, block, text, next) => {
    expect(acceptedLines(block, text, matches)).toBe(next)
  })

  const text = fc.constantFrom('a', 'b', 'c', '', 'x (re)', '(any)', 'y (no-eol)', '*\\? (glob)')
  const literal = text.map(one => writtenLine({ text: one, isOpen: false }))
  const wanted = fc.oneof(literal, fc.constantFrom('(any*)', '(any)', '[ab] (re)', '* (glob)'))

  test('matches it, whatever the block was', () => {
    fc.assert(
      fc.property(fc.array(wanted), fc.array(text), fc.boolean(), (block, lines, isOpen) => {
        const actual = lines.join('\n') + (isOpen || lines.length === 0 ? '' : '\n')
        const next = acceptedLines(block.map(line => `${line}\n`).join(''), actual, matches)
        expect([next, matchLines(next, actual, matches)]).toEqual([next, true])
      }),
      { numRuns: 500 },
    )
  })
})
