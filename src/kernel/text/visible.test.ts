import { expect, test } from 'vitest'
import { quotedText, spelledOut, visible, visibleLines } from './visible.ts'

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

test('text of several lines keeps its line breaks and tabs', () => {
  expect(visibleLines('a\n\tb\r\u001b[2J')).toBe('a\n\tb\\u000d\\u001b[2J')
})

test.each([
  ['spaces between words stay', 'a  b', 'a  b'],
  ['tabs, returns and spaces at the end are spelled out', '\ta  \r', '\\ta\\u0020\\u0020\\r'],
  ['other spaces are spelled out', 'a\u00a0b\u3000', 'a\\u00a0b\\u3000'],
  ['characters without a shape are spelled out', 'a\u200b\ufeffb\u200d', 'a\\u200b\\ufeffb\\u200d'],
  ['an emoji stays whole', '\u2764\ufe0f\u200d\u{1f525}', '\u2764\ufe0f\u200d\u{1f525}'],
])('%s', (_, line, shown) => {
  expect(spelledOut(line)).toBe(shown)
})

test.each([
  ['quotes and backslashes stay', '{"a": "\\d+"}', '"{"a": "\\d+"}"'],
  ['a line break is escaped', 'a\n', '"a\\n"'],
  ['so is what cannot be seen', 'a\u001b[1m\u00a0\u200b', '"a\\u001b[1m\\u00a0\\u200b"'],
  ['backslashes are doubled beside an escape', '\\d\n', '"\\\\d\\n"'],
  ['and where they would read like one', 'a\\n', '"a\\\\n"'],
])('in quotes, %s', (_, text, shown) => {
  expect(quotedText(text)).toBe(shown)
})
