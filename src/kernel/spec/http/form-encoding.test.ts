import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formBody } from './form-encoding.ts'

test('a form is encoded as in the URL standard', () => {
  const fields = fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })))
  fc.assert(
    fc.property(fields, rows => {
      expect(formBody(rows)).toBe(new URLSearchParams(rows).toString())
    }),
  )
})

test('a lone half of a character is replaced', () => {
  expect(formBody([['a', '\ud800']])).toBe('a=%EF%BF%BD')
})
