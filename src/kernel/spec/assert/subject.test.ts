import { expect, test } from 'vitest'
import { Float } from '../lang/float.ts'
import { isJsonValue } from './subject.ts'

let deep: unknown = 1
for (let level = 0; level < 100_000; level++) deep = [deep]
const shared = [1]

test.each([
  ['null', null, true],
  ['a text', 'a', true],
  ['a map in a list', [new Map([['a', [1, true, null]]])], true],
  ['1.0', [new Float(1)], true],
  ['an integer beyond 2^53', [2n ** 53n + 1n], true],
  ['what is nested deep', deep, true],
  ['what stands there twice', [shared, shared], true],
  ['not a number', Number.NaN, false],
  ['infinity', [Number.POSITIVE_INFINITY], false],
  ['nothing', undefined, false],
  ['a function', new Map([['a', () => 1]]), false],
  ['an object', { a: 1 }, false],
  ['a date', [new Date(0)], false],
  ['a key that is not text', new Map([[1, 1]]), false],
])('[spec.4.json-subjects] %s is JSON or not', (_, value, isJson) => {
  expect(isJsonValue(value)).toBe(isJson)
})
