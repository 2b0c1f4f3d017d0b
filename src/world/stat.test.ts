import { expect, test } from 'vitest'
import { grownStampOf } from './stat.ts'

test('[memory.2.lines] a file with the number of one that was removed has another identity', () => {
  const found = { dev: 1n, ino: 2n, size: 3n, mtimeNs: 4n, ctimeNs: 4n }
  const identities = [5n, 6n].map(birthtimeNs => grownStampOf({ ...found, birthtimeNs }).identity)
  expect(new Set(identities).size).toBe(2)
})
