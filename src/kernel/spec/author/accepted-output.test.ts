import { expect, test } from 'vitest'
import { nearestLines } from './accepted-output.ts'

const free = () => false

test.each([
  ['a version', 'tool 1.0.0', 'usage: tool\ntool 1.1.0\n', 'tool 1.1.0'],
  ['the only line, whatever it says', 'ok', 'failed\n', 'failed'],
  ['two lines', 'total: 1\nok: 1', 'start\ntotal: 2\nok: 2\nend\n', 'total: 2\nok: 2'],
  ['an end of the line', 'total: 1\n', 'total: 2\r\nend\r\n', 'total: 2\n'],
])('%s is found in the new output', (_, text, output, found) => {
  expect(nearestLines(text, output, free)).toBe(found)
})

test.each([
  ['nothing like it', 'total: 1', 'abc\nxyz\n'],
  ['two that are as good', 'item 0', 'item 1\nitem 2\n'],
  ['nothing at all', 'a', ''],
  ['too much', 'line 7x', Array.from({ length: 2000 }, (_, at) => `line ${at}`).join('\n')],
])('%s has no clear match', (_, text, output) => {
  expect(nearestLines(text, output, free)).toBeUndefined()
})

test('a line that matches another text is not taken', () => {
  const output = 'item 1\nitem 2\n'
  expect(nearestLines('item 0', output, line => line === 'item 1')).toBe('item 2')
})
