import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blankIssue } from './issue.ts'
import { type IdSeed, type KnownIds, newIdFor } from './issue-id.ts'
import { IssueMemory } from './issue-memory.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const seed = (more: Partial<IdSeed> = {}): IdSeed => ({
  title: 'Fix login',
  now: 1_000n,
  random: 'r1',
  sha256,
  ...more,
})

const taken = (size: number, ...ids: string[]): KnownIds => ({
  size,
  idPrefix: 'bd',
  has: id => ids.includes(id),
  nextCountedId: prefix => `${prefix}-${size + 1}`,
})

describe('a counted id', () => {
  test('is the lowest free one', () => {
    expect(newIdFor('counted', new IssueMemory(), seed())).toBe('bd-1')
    expect(newIdFor('counted', { ...taken(3), idPrefix: 'web' }, seed())).toBe('web-4')
  })

  test.each([
    [['BD-1', 'one'], 'bd-2'],
    [['Bd-1', 'bd-2', 'bD-3', 'one'], 'bd-4'],
    [['BD-1', 'BD-2'], 'BD-3'],
    [['bd-1', 'BD-3', 'one'], 'bd-2'],
  ])('differs from %j not only in case', (ids, free) => {
    const memory = new IssueMemory()
    for (const id of ids) memory.put(blankIssue(id, 'x'))
    expect(newIdFor('counted', memory, seed())).toBe(free)
  })
})

describe('a hashed id', () => {
  test('has four characters after the prefix, the same for the same seed', () => {
    const id = newIdFor('hash', taken(0), seed())
    expect(id).toMatch(/^bd-[a-z][0-9a-z]{3}$/)
    expect(newIdFor('hash', taken(0), seed())).toBe(id)
    const inWeb = { ...taken(0), idPrefix: 'web' }
    expect(newIdFor('hash', inWeb, seed())).toBe(id.replace('bd-', 'web-'))
  })

  test('differs by title, time and chance', () => {
    const ids = [{}, { title: 'Fix logout' }, { now: 1_001n }, { random: 'r2' }].map(more =>
      newIdFor('hash', taken(0), seed(more)),
    )
    expect(new Set(ids).size).toBe(4)
  })

  test('grows by a character until it is free', () => {
    const four = newIdFor('hash', taken(0), seed())
    const five = newIdFor('hash', taken(1, four), seed())
    expect(five).toMatch(/^bd-[0-9a-z]{5}$/)
    expect(five.startsWith(four)).toBe(true)
    const all = { ...taken(0), has: (id: string) => id.length < 45 && id.startsWith(four) }
    expect(newIdFor('hash', all, seed())).not.toMatch(new RegExp(`^${four}`))
  })

  test.each([
    ['upper case', (id: string) => id.toUpperCase()],
    ['another case', (id: string) => id.replace(/[a-z](?=[^a-z]*$)/, one => one.toUpperCase())],
  ])('differs from one in %s not only in case', (_, other) => {
    const four = newIdFor('hash', taken(0), seed())
    expect(newIdFor('hash', taken(1, other(four)), seed())).toMatch(/^bd-[0-9a-z]{5}$/)
  })

  test.each([
    [0, 4],
    [40, 5],
    [1_000, 6],
    [50_000, 9],
  ])('is long enough at %i issues', (size, length) => {
    expect(newIdFor('hash', taken(size), seed())).toHaveLength('bd-'.length + length)
  })

  test('is always free', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 40 }), titles => {
        const ids: string[] = []
        for (const title of titles) ids.push(newIdFor('hash', taken(0, ...ids), seed({ title })))
        expect(new Set(ids).size).toBe(titles.length)
      }),
    )
  })
})

test.each([
  [[], 'bd'],
  [['api-1', 'api-12', 'api-k3f9'], 'api'],
  [['web-a3f', 'web-a3f.1', 'web-a3f.1.2'], 'web'],
  [['my-app-1', 'my-app-2'], 'my-app'],
  [['api-1', 'bd-1'], 'bd'],
  [['api-1', 'api_2'], 'bd'],
  [['one', 'two'], 'bd'],
  [['7-1', '7-2'], 'bd'],
])('the prefix after %j is %s', (ids, prefix) => {
  const memory = new IssueMemory()
  for (const id of ids) memory.put(blankIssue(id, 'x'))
  expect(memory.idPrefix).toBe(prefix)
  // Asked before the rows come, too.
  const asked = new IssueMemory()
  expect(asked.idPrefix).toBe('bd')
  for (const id of ids) asked.put(blankIssue(id, 'x'))
  expect(asked.idPrefix).toBe(prefix)
})
