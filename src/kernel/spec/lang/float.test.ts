import { expect, test } from 'vitest'
import { Float, floatOf, numberOf } from './float.ts'

test.each([
  [1, '1.0'],
  [0, '0.0'],
  [-0, '0.0'],
  [-20, '-20.0'],
  [2 ** 53, '9007199254740992.0'],
  [1e20, '100000000000000000000.0'],
])('%d is distinct from the integer, and printed as it will be read', (value, text) => {
  const float = floatOf(value)
  expect([float instanceof Float, String(float), numberOf(float)]).toEqual([true, text, value + 0])
  expect(floatOf(Number(text))).toEqual(float)
})

test.each([1.5, -0.25, 1e21, -1e300, 5e-324])('%d is a plain number', value => {
  expect([floatOf(value), numberOf(value)]).toEqual([value, value])
})

test.each([null, true, '1', [1], new Map()])('%j is no number', value => {
  expect(numberOf(value)).toBeUndefined()
})
