import { describe, expect, test } from 'vitest'
import { Fault } from '../fault.ts'
import { decodeUtf8 } from './utf8.ts'

const bytes = (...parts: (string | number[])[]) =>
  Uint8Array.from(parts.flatMap(part => [...(typeof part === 'string' ? Buffer.from(part) : part)]))

function place(given: Uint8Array, firstLine?: number) {
  try {
    return decodeUtf8(given, firstLine)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    expect(error.message).toBe(
      `is not valid UTF-8, at line ${error.detail['line']}, byte ${error.detail['column']} of it`,
    )
    return [error.detail['line'], error.detail['column']]
  }
}

describe('bytes that are not UTF-8 are refused at their place', () => {
  test.each([
    ['a stray continuation', bytes('ab', [0x80]), [1, 3]],
    ['the very first byte', bytes([0xff], 'ab'), [1, 1]],
    ['a sequence that never ends', bytes('é', [0xe2, 0x82]), [1, 4]],
    ['an overlong slash', bytes('a\nb\n', [0xc0, 0xaf]), [3, 1]],
    ['half of a surrogate pair', bytes('{\n  "a": "', [0xed, 0xa0, 0x80], '"}'), [2, 10]],
    ['beyond the last code point', bytes('x\n', [0xf4, 0x90, 0x80, 0x80]), [2, 2]],
  ])('%s', (_, given, at) => {
    expect(place(given)).toEqual(at)
  })

  test('by the lines of the surrounding text', () => {
    expect(place(bytes('ab', [0xff]), 7)).toEqual([7, 3])
  })

  test('in a large text too', () => {
    const large = new Uint8Array(2_000_000).fill(0x61)
    large[1_999_990] = 0xff
    expect(place(large)).toEqual([1, 1_999_991])
  })
})

test('valid UTF-8 is kept to the byte, with its byte-order mark', () => {
  expect(decodeUtf8(bytes([0xef, 0xbb, 0xbf], 'é😀\r\n\u0000'))).toBe('\ufeffé😀\r\n\u0000')
  expect(decodeUtf8(bytes())).toBe('')
})
