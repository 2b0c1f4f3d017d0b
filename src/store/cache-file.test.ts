import { expect, test } from 'vitest'
import { checksum } from './cache-file.ts'

test('a flip of any bit changes the checksum', () => {
  for (let length = 1; length <= 41; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => at * 37)
    const flips = Array.from({ length: length * 8 }, (_, bit) => {
      const flipped = bytes.slice()
      flipped[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7))
      return checksum(flipped)
    })
    expect(flips).not.toContain(checksum(bytes))
  }
})
