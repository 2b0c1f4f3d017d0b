import { expect, test } from 'vitest'
import { rememberedHash } from './remembered-hash.ts'

/** A hash that tells which texts it was asked for. */
function counted() {
  const asked: string[] = []
  const hash = rememberedHash(text => {
    asked.push(text)
    return `hash of ${text}`
  })
  // It begins by knowing the hash of nothing.
  asked.length = 0
  return { asked, hash }
}

test('a short text is hashed once, and each text has its own hash', () => {
  const { asked, hash } = counted()
  for (const text of ['ab', 'b', '', 'ab', 'b', '']) expect(hash(text)).toBe(`hash of ${text}`)
  expect(asked).toEqual(['ab', 'b'])
})

test('a long text is hashed each time', () => {
  const { asked, hash } = counted()
  const long = 'x'.repeat(10_000)
  expect([hash(long), hash(long)]).toEqual([`hash of ${long}`, `hash of ${long}`])
  expect(asked).toHaveLength(2)
})

test('however many texts there were, a hash stays right', () => {
  const { asked, hash } = counted()
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < 10_000; at++) expect(hash(`t${at}`)).toBe(`hash of t${at}`)
  }
  expect(asked.length).toBeLessThanOrEqual(20_000)
})
