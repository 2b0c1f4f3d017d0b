import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { lineBytesMax, linesOf } from './lines.ts'

async function lines(chunks: Iterable<string | Uint8Array>): Promise<[number, string][]> {
  async function* given() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
  const found: [number, string][] = []
  for await (const some of linesOf(given())) {
    for (const { number, text } of some) {
      found.push([number, text instanceof Fault ? `! ${text.message}` : text])
    }
  }
  return found
}

test.each([
  ['nothing', [], []],
  ['empty chunks', ['', ''], []],
  ['one line', ['a\n'], [[1, 'a']]],
  [
    'a last line without its end',
    ['a\nb'],
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  [
    'blank lines, which count',
    ['\n\na\n\n'],
    [
      [1, ''],
      [2, ''],
      [3, 'a'],
      [4, ''],
    ],
  ],
  [
    'lines of Windows',
    ['a\r\nb\r\n'],
    [
      [1, 'a\r'],
      [2, 'b\r'],
    ],
  ],
  ['a lone return', ['a\rb\n'], [[1, 'a\rb']]],
  [
    'a line over three chunks',
    ['a', 'b', 'c\nd'],
    [
      [1, 'abc'],
      [2, 'd'],
    ],
  ],
  [
    'an end at the start of a chunk',
    ['a', '\nb\n'],
    [
      [1, 'a'],
      [2, 'b'],
    ],
  ],
  ['separators of other kinds', ['a\u2028b\u0085c\u000bd\n'], [[1, 'a\u2028b\u0085c\u000bd']]],
])('%s', async (_, chunks, found) => {
  expect(await lines(chunks)).toEqual(found)
})

test('a character cut by a chunk is whole again', async () => {
  const bytes = Buffer.from('é😀\né😀')
  for (let at = 0; at <= bytes.length; at++) {
    expect(await lines([bytes.subarray(0, at), bytes.subarray(at)])).toEqual([
      [1, 'é😀'],
      [2, 'é😀'],
    ])
  }
})

test('a line that is not UTF-8 is one fault, and the next line is read', async () => {
  expect(await lines(['a\n', Uint8Array.from([0x62, 0xff, 0x0a]), 'c\n'])).toEqual([
    [1, 'a'],
    [2, '! is not valid UTF-8, at line 2, byte 2 of it'],
    [3, 'c'],
  ])
})

test('a line over the limit is skipped with its size, and the next line is read', async () => {
  const piece = new Uint8Array(lineBytesMax / 4).fill(0x20)
  const most = await lines([...Array(4).fill(piece), '\nb\n'])
  expect(most.map(([number, text]) => [number, text.length, text.trim()])).toEqual([
    [1, lineBytesMax, ''],
    [2, 1, 'b'],
  ])
  expect(await lines(['a\n', ...Array(4).fill(piece), ' \nb\n'])).toEqual([
    [1, 'a'],
    [2, `! is ${lineBytesMax + 1} bytes long; the most is ${lineBytesMax}`],
    [3, 'b'],
  ])
})

test('the lines do not depend on how the bytes are split', async () => {
  const text = fc.array(fc.constantFrom('a', 'é', '😀', '\n', '\n', '\r', ' '), { maxLength: 20 })
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(text, sizes, async (parts, cuts) => {
      const bytes = Buffer.from(parts.join(''))
      const chunks: Uint8Array[] = []
      for (let at = 0, next = 0; at < bytes.length; next++) {
        const size = cuts[next % cuts.length] ?? 1
        chunks.push(bytes.subarray(at, at + size))
        at += size
      }
      const whole = parts.join('').split('\n')
      if (whole.at(-1) === '') whole.pop()
      expect(await lines(chunks)).toEqual(whole.map((line, at) => [at + 1, line]))
    }),
    { numRuns: 300 },
  )
})
