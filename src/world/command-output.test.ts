import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeptOutput } from './command-output.ts'

function memoryFile() {
  const file = {
    bytes: Buffer.alloc(0),
    append(more: Uint8Array) {
      file.bytes = Buffer.concat([file.bytes, more])
    },
    cut(size: number) {
      file.bytes = file.bytes.subarray(0, size)
    },
    close() {},
  }
  return file
}

function kept(chunks: readonly (string | Uint8Array)[], bytesMax: number, tailBytesMax = 100) {
  const file = memoryFile()
  const output = new KeptOutput(file, { outputBytesMax: bytesMax, tailBytesMax })
  for (const chunk of chunks) output.take(Buffer.from(chunk))
  return { ...output.end(), file: file.bytes.toString(), lastLine: output.lastLine() }
}

test('output that fits is kept unchanged', () => {
  expect(kept(['one\n', 'two'], 7)).toMatchObject({
    bytes: 7,
    keptBytes: 7,
    truncated: false,
    file: 'one\ntwo',
    tail: 'one\ntwo',
  })
})

test('for longer output the file holds the start, a note on the gap and the end, within the limit', () => {
  const { file, ...output } = kept(['a'.repeat(500), 'b'.repeat(500)], 400)
  expect(output).toMatchObject({ bytes: 1000, keptBytes: 336, truncated: true })
  expect(file).toBe(`${'a'.repeat(236)}\n[… 664 bytes are not kept …]\n${'b'.repeat(100)}`)
})

test('a file with a limit of 0 bytes holds only the note', () => {
  expect(kept(['some'], 0)).toMatchObject({ keptBytes: 0, truncated: true, tail: 'some' })
})

test('the tail begins with a whole character', () => {
  expect(kept(['a✓b'], 100, 3).tail).toBe('b')
  expect(kept(['a✓b'], 100, 4).tail).toBe('✓b')
})

test('a large tail has all of the output, or the end of it', () => {
  const chunks = Array.from({ length: 50 }, (_, at) => String(at % 10).repeat(1000))
  const whole = chunks.join('')
  expect(kept(chunks, 0, 1_000_000).tail).toBe(whole)
  expect(kept(chunks, 0, 49_500).tail).toBe(whole.slice(-49_500))
  expect(kept(chunks, 0, 20_000).tail).toBe(whole.slice(-20_000))
})

test.each([
  ['one\ntwo', 'two'],
  ['one\ntwo\n\n  \n', 'two'],
  ['10%\r20%\r', '20%'],
  ['\n', ''],
])('the last line of %j is %j', (text, line) => {
  expect(kept([text], 100).lastLine).toBe(line)
})

test('the result does not depend on the chunks of the output', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 30 })
  fc.assert(
    fc.property(chunks, fc.integer({ min: 0, max: 2_000 }), (some, bytesMax) => {
      const whole = Buffer.concat(some)
      const output = kept(some, bytesMax)
      expect(output).toEqual(kept([whole], bytesMax))
      expect(output.sha256).toBe(createHash('sha256').update(whole).digest('hex'))
      expect(output.file.length).toBeLessThanOrEqual(Math.max(64, bytesMax))
    }),
  )
})
