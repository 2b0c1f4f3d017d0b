import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextSearch } from './string.ts'

const text = fc.array(fc.constantFrom('a', 'b')).map(parts => parts.join(''))

test('a text search finds what the built-in search finds', () => {
  fc.assert(
    fc.property(text, fc.array(fc.constantFrom('a', 'b'), { minLength: 1 }), (whole, parts) => {
      const part = parts.join('')
      expect(new TextSearch(whole, part).from(0)).toBe(whole.indexOf(part))
      expect(new TextSearch(whole, part).all(() => true)).toHaveLength(whole.split(part).length - 1)
    }),
  )
})

test('a text search works in long texts, which use another algorithm', () => {
  const part = `${'ab'.repeat(500)}a`
  const long = `${'ab'.repeat(100_000)}a`
  const search = new TextSearch(long, part)
  expect(search.from(0)).toBe(0)
  expect(search.from(1)).toBe(2)
  expect(search.all(() => true)).toHaveLength(long.split(part).length - 1)
  expect(new TextSearch(long, `${part}c`).from(0)).toBe(-1)
})

test('a long text that almost matches everywhere is searched in linear time', () => {
  const half = 'a'.repeat(500_000)
  expect(new TextSearch(half.repeat(4), `${half}b${half}`).from(0)).toBe(-1)
})
