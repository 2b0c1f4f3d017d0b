import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readShard, shardOf } from './shard.ts'

describe('a shard', () => {
  test.each(['1/1', '2/5', '5/5', '999999/999999'])('is written as %s', text => {
    const [index, count] = text.split('/').map(Number)
    expect(readShard(text)).toEqual({ index, count })
  })

  test.each([
    '',
    '1',
    '0/3',
    '4/3',
    '1/0',
    '-1/3',
    '1/3/5',
    '1.5/3',
    '01/3',
    ' 1/3',
    'a/b',
    '1/9999999',
  ])('is not written as %j', text => {
    expect(readShard(text)).toBeUndefined()
  })
})

test('all shards together are the whole, in its order, and their sizes differ by at most one', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.integer({ min: 1, max: 40 }), (length, count) => {
      const items = Array.from({ length }, (_, at) => at)
      const parts = Array.from({ length: count }, (_, at) =>
        shardOf(items, { index: at + 1, count }),
      )
      expect(parts.flat()).toEqual(items)
      const sizes = parts.map(part => part.length)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
    }),
  )
})
