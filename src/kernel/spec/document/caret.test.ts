import fc from 'fast-check'
import { expect, test } from 'vitest'
import { widthOf } from '../../text/text-width.ts'
import { caretText } from './caret.ts'

const at = (lineText: string, column: number, columns?: number) =>
  caretText({ place: { file: 'a.spec.md', line: 7, column, lineText } }, columns)

test('a caret stands under the place', () => {
  expect(at('id: A', 5)).toBe('7 | id: A\n  |     ^')
})

test('wide characters take two columns, marks none, a tab one', () => {
  expect(at('日本: x', 5)).toBe('7 | 日本: x\n  |       ^')
  expect(at('e\u0301: x', 5)).toBe('7 | e\u0301: x\n  |    ^')
  expect(at('\tb: 1', 2)).toBe('7 |  b: 1\n  |  ^')
  expect(at('👍: x', 5)).toBe('7 | 👍: x\n  |     ^')
})

test('the excerpt shows no terminal control characters', () => {
  expect(at('a: \u001b[31m\u202e', 4)).toBe('7 | a:  [31m \n  |    ^')
})

test('a long line is shortened around the place', () => {
  const line = `${'a'.repeat(500)}X${'b'.repeat(500)}`
  const text = at(line, 501, 44)
  expect(text).toBe(`7 | …${'a'.repeat(25)}X${'b'.repeat(12)}…\n  | ${' '.repeat(26)}^`)
})

test('a place at the end of its line has a caret behind the text', () => {
  expect(at('a: [', 5)).toBe('7 | a: [\n  |     ^')
})

test('a blank line has no excerpt', () => {
  expect(at('   ', 2)).toBe('')
})

test('any line becomes two lines that fit, with the caret under the character', () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
  fc.assert(
    fc.property(line, fc.nat(), fc.integer({ min: 20, max: 120 }), (lineText, some, columns) => {
      const column = 1 + (some % lineText.length)
      const lines = at(lineText, column, columns).split('\n')
      for (const one of lines) expect(widthOf(one)).toBeLessThanOrEqual(columns + 1)
    }),
  )
})
