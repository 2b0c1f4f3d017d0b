import { expect, test } from 'vitest'
import { visible } from './visible.ts'

test.each([
  ['plain text stays', 'tc-1 é 漢 😀', 'tc-1 é 漢 😀'],
  ['an escape sequence is spelled out', '\u001b[2Jgone', '\\u001b[2Jgone'],
  ['a line break is spelled out', 'a\nb\r', 'a\\u000ab\\u000d'],
  ['a C1 control is spelled out', '\u009b31m', '\\u009b31m'],
  ['writing that turns around is spelled out', 'a\u202eb\u2066', 'a\\u202eb\\u2066'],
  ['half a character is spelled out', 'a\ud800 \udc00b😀', 'a\\ud800 \\udc00b😀'],
  ['what some take for the end of a line is spelled out', 'a\u2028b\u2029', 'a\\u2028b\\u2029'],
  ['what is no character is spelled out', '\ufffe\uffff', '\\ufffe\\uffff'],
])('%s', (_, text, shown) => {
  expect(visible(text)).toBe(shown)
})
