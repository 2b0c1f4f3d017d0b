import { verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { nodeSigning } from './node-signing.ts'

const type = 'application/vnd.in-toto+json'
const { privateKey, publicKey } = nodeSigning.makeKeys()
const envelope = nodeSigning.sign(type, '{"a":"ä"}', privateKey)

test('the public key that the envelope names opens a signed document', () => {
  expect(nodeSigning.openSigned(envelope, publicKey)).toBe('{"a":"ä"}')
  expect(envelope.signatures).toMatchObject([{ keyid: nodeSigning.keyIdOf(publicKey) }])
})

test('the signature covers the encoding that the DSSE protocol gives as its example', () => {
  const covered = 'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
  const { signatures } = nodeSigning.sign(
    'http://example.com/HelloWorld',
    'hello world',
    privateKey,
  )
  const signature = Buffer.from(signatures[0]?.sig ?? '', 'base64')
  expect(verify(null, Buffer.from(covered), publicKey, signature)).toBe(true)
})

test.each([
  ['another payload', { ...envelope, payload: btoa('{"a":2}') }],
  ['another type', { ...envelope, payloadType: 'text/plain' }],
  ['no signature', { ...envelope, signatures: [] }],
  ['a cut signature', { ...envelope, signatures: [{ sig: 'bm8=' }] }],
  ['a payload that is no base64', { ...envelope, payload: `${envelope.payload}*` }],
])('%s is not opened', (_, changed) => {
  expect(nodeSigning.openSigned(changed, publicKey)).toBeUndefined()
})

test('another key does not open a signed document', () => {
  expect(nodeSigning.openSigned(envelope, nodeSigning.makeKeys().publicKey)).toBeUndefined()
})

test('an invalid key is refused, and the error reveals nothing of it', () => {
  const secret = privateKey.split('\n')[1] ?? ''
  for (const text of ['', 'secret', privateKey.slice(0, 60), publicKey]) {
    expect(() => nodeSigning.sign(type, '', text)).toThrow('is not a private Ed25519 key in PEM')
  }
  const withoutSecret = expect.objectContaining({ message: expect.not.stringContaining(secret) })
  expect(() => nodeSigning.openSigned(envelope, privateKey)).toThrow(withoutSecret)
})
