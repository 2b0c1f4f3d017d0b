import { expect, test } from 'vitest'
import { externalCapability, externalDenial, parseExternalRef } from './external-ref.ts'

test('a reference names a provider and an id', () => {
  expect(parseExternalRef(' external://vault/a/b#c ')).toEqual({ provider: 'vault', id: 'a/b#c' })
})

test.each(['external://', 'external://x', 'external://x/', 'external:///y', 'external:x/y', '/a'])(
  '%s is no reference',
  text => {
    expect(parseExternalRef(text)).toEqual({ refused: expect.stringContaining('external://') })
  },
)

const ref = { provider: 'vault', id: 'a' }
const grounds = {
  policy: { mode: 'allow', providers: ['vault'] },
  required: [externalCapability],
  offered: new Set([externalCapability]),
  resolvers: ['vault'],
} as const

test('[spec.8.external-refs] an external reference is followed when every party allows it', () => {
  expect(externalDenial(ref, grounds)).toBeUndefined()
})

test.each([
  ['the mode', { policy: { mode: 'deny', providers: ['vault'] } }, /mode/],
  ['the providers', { policy: { mode: 'allow', providers: ['other'] } }, /providers/],
  ['the case', { required: [] }, /require/],
  ['the runner', { offered: new Set<string>() }, /not given/],
  ['a resolver', { resolvers: ['vaults'] }, /only for vaults/],
] as const)(
  '[spec.8.external-refs] an external reference is denied without %s',
  (_, change, why) => {
    expect(externalDenial(ref, { ...grounds, ...change })).toMatch(why)
  },
)
