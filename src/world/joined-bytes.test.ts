import { expect, test } from 'vitest'
import { joinedBytes } from './joined-bytes.ts'

const bytes = (text = '') => new TextEncoder().encode(text)

test('parts are joined in order', () => {
  expect(joinedBytes([])).toEqual(bytes())
  expect(joinedBytes([bytes('a')])).toEqual(bytes('a'))
  expect(joinedBytes([bytes('a'), bytes(), bytes('bc')])).toEqual(bytes('abc'))
})
