import fc from 'fast-check'
import { expect, test } from 'vitest'
import { base64 } from '../../text/base64.ts'
import { curlValue, isWithoutSecret } from './curl-variables.ts'

test.each([
  ['Accept', 'text/plain', true],
  ['Authorization', 'Bearer {{var.T}}', true],
  ['authorization', '{{var.T}}', true],
  ['Authorization', 'Bearer hunter2', false],
  ['Authorization', 'hunter2 {{var.T}}', false],
  ['Cookie', 'a={{var.A}}; b={{var.B}}', true],
  ['Cookie', 'a={{var.A}}; b=hunter2', false],
  ['X-Api-Key', '{{var.K}}', true],
  ['X-Api-Key', 'k-{{var.K}}', false],
])('%s: %s is without a secret: %s', (name, value, expected) => {
  expect(isWithoutSecret(name, value)).toBe(expected)
})

test('the value of a variable comes from the line or the environment', () => {
  const variable = (text: string, isLogin = false) => ({
    ...{ what: '', value: { text, isLogin }, isSecret: true },
  })
  const env = { PASS: 'p w', A: 'a' }
  expect(curlValue('A', { what: '', value: undefined, isSecret: true }, env)).toBe('a')
  expect(curlValue('X', { what: '', value: undefined, isSecret: true }, env)).toBeUndefined()
  expect(curlValue('X', variable('a={{var.A}}; b=c'), env)).toBe('a=a; b=c')
  expect(curlValue('X', variable('{{var.NONE}}'), env)).toBeUndefined()
  expect(curlValue('X', variable('me:{{var.PASS}}', true), env)).toBe(`Basic ${btoa('me:p w')}`)
})

test('base64 is that of every other program', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      expect(base64(text)).toBe(Buffer.from(text).toString('base64'))
    }),
  )
})
