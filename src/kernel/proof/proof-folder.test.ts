import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proofFolderName } from './proof-folder.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const nameOf = (id: string) => proofFolderName(id, sha256)

test('a plain id names its folder', () => {
  expect(['bd-1', 'a.b_c', '007'].map(nameOf)).toEqual(['bd-1', 'a.b_c', '007'])
})

test.each([
  '..',
  '.',
  '.hidden',
  'a/b',
  '../x',
  'BD-1',
  'nul',
  'com1.x',
  'x.',
  'ä',
  'a~b',
  'a%2fb',
])('%j is named by its digest', id => {
  expect(nameOf(id)).toMatch(/^[a-z0-9_-]*~[0-9a-f]{32}$/)
})

test('each id has its own folder inside the proof folder', () => {
  const ids = fc.string({
    unit: fc.constantFrom('a', 'A', '.', '/', '~', '%', '\0', 'ä'),
    minLength: 1,
  })
  fc.assert(
    fc.property(ids, ids, (one, other) => {
      expect(nameOf(one)).toMatch(/^[a-z0-9_~-][a-z0-9._~-]{0,120}$/)
      expect(nameOf(one).toLowerCase() === nameOf(other).toLowerCase()).toBe(one === other)
    }),
  )
})
