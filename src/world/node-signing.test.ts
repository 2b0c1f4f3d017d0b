import { expect, test } from 'vitest'
import { nodeSigning } from './node-signing.ts'

const type = 'application/vnd.in-toto+json'

test('what was signed is verified by the public key, and nothing else is', () => {
  const { privateKey, publicKey } = nodeSigning.makeKeys()
  const signature = nodeSigning.sign(type, '{"a":1}', privateKey)
  expect(nodeSigning.verify(type, '{"a":1}', signature, publicKey)).toBe(true)
  expect(nodeSigning.verify(type, '{"a":2}', signature, publicKey)).toBe(false)
  expect(nodeSigning.verify('text/plain', '{"a":1}', signature, publicKey)).toBe(false)
  expect(nodeSigning.verify(type, '{"a":1}', 'bm8=', publicKey)).toBe(false)
  const other = nodeSigning.makeKeys()
  expect(nodeSigning.verify(type, '{"a":1}', signature, other.publicKey)).toBe(false)
})

test('a private key knows its public one, and both go by one id', () => {
  const { privateKey, publicKey } = nodeSigning.makeKeys()
  expect(nodeSigning.publicKeyOf(privateKey)).toBe(publicKey)
  expect(nodeSigning.keyIdOf(publicKey)).toMatch(/^[0-9a-f]{64}$/)
})

test('what is no key is refused, and nothing of it is told', () => {
  const { privateKey, publicKey } = nodeSigning.makeKeys()
  const secret = privateKey.split('\n')[1] ?? ''
  for (const text of ['', 'secret', privateKey.slice(0, 60), publicKey]) {
    expect(() => nodeSigning.publicKeyOf(text)).toThrow('is no private Ed25519 key in PEM')
  }
  const told = expect.objectContaining({ message: expect.not.stringContaining(secret) })
  expect(() => nodeSigning.keyIdOf(privateKey)).toThrow(told)
})
