import { expect, test } from 'vitest'
import { SpecRegex } from '../regex/spec-regex.ts'
import { ReadyLine } from './ready-line.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

async function found(pattern: string, ...pieces: readonly (string | Uint8Array)[]) {
  const line = new ReadyLine(pattern, new SpecRegex())
  for (const piece of pieces) line.take(typeof piece === 'string' ? bytes(piece) : piece)
  return await Promise.race([line.found, Promise.resolve('nothing')])
}

test('a line is matched when it is whole, however it arrives', async () => {
  const pattern = 'port (\\d+)'
  expect(await found(pattern, 'on port 80')).toBe('nothing')
  expect(await found(pattern, 'on port 80', '81\n')).toBe('8081')
  expect(await found(pattern, 'a\r\nb\nport 1\r\nport 2\n')).toBe('1')
})

test('a line ends where the output ends it', async () => {
  expect(await found('^ready$', 'not ready\nready\r\n')).toBe('ready')
  expect(await found('a.*b', 'a\nb\n')).toBe('nothing')
})

test('a character may be cut in two', async () => {
  const whole = bytes('Zürich 7\n')
  expect(await found('Zürich (\\d)', whole.subarray(0, 2), whole.subarray(2))).toBe('7')
})

test('a line without an end does not fill the memory', async () => {
  const pieces = Array.from({ length: 200 }, () => 'x'.repeat(1000))
  expect(await found('^x*y$|^end$', ...pieces, 'y\nend\n')).toBe('end')
})

test.each(['(', '(?<=a)b'])('the pattern %j is refused', pattern => {
  expect(new ReadyLine(pattern, new SpecRegex()).flaw).toMatchObject({ category: 'schema' })
})
