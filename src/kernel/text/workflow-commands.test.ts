import { expect, test } from 'vitest'
import { endsAtLineStart, withoutCommands } from './workflow-commands.ts'

test.each([
  ['::error::x', '\\u003a:error::x'],
  [
    'a\n  \t::stop-commands::x\n::warning::y',
    'a\n  \t\\u003a:stop-commands::x\n\\u003a:warning::y',
  ],
  ['a\r::error::x', 'a\r\\u003a:error::x'],
  ['a ##[error]x ##[b]', 'a #\\u0023[error]x #\\u0023[b]'],
  ['std::vector, a ::b', 'std::vector, a ::b'],
  ['', ''],
])('%j is printed as %j', (text, printed) => {
  expect(withoutCommands(text)).toBe(printed)
})

test('a text inside a line begins no command', () => {
  expect(withoutCommands('::a\n::b', false)).toBe('::a\n\\u003a:b')
})

test.each([
  ['a\n', false, true],
  ['a\n  ', false, true],
  ['a', true, false],
  ['  ', true, true],
  ['  ', false, false],
  ['', true, true],
])('after %j, begun at a line start: %s, the next text is at one: %s', (text, was, is) => {
  expect(endsAtLineStart(text, was)).toBe(is)
})

test('JSON keeps its values', () => {
  const value = { text: 'a ##[error]b\n::error::c' }
  expect(JSON.parse(withoutCommands(JSON.stringify(value)))).toEqual(value)
})
