import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { dsse } from '@sigstore/core'
import { Fault } from '../fault.ts'
import type { Signing } from './world.ts'

export const nodeSigning: Signing = {
  makeKeys() {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    return {
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      publicKey: printed(publicKey),
    }
  },
  publicKeyOf: privateKey => printed(createPublicKey(privateKeyIn(privateKey))),
  keyIdOf(publicKey) {
    const der = publicKeyIn(publicKey).export({ type: 'spki', format: 'der' })
    return createHash('sha256').update(der).digest('hex')
  },
  sign(payloadType, payload, privateKey) {
    const signed = sign(null, encoded(payloadType, payload), privateKeyIn(privateKey))
    return signed.toString('base64')
  },
  verify(payloadType, payload, signature, publicKey) {
    const bytes = Buffer.from(signature, 'base64')
    return verify(null, encoded(payloadType, payload), publicKeyIn(publicKey), bytes)
  },
}

const encoded = (payloadType: string, payload: string) =>
  dsse.preAuthEncoding(payloadType, Buffer.from(payload))

const printed = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()

const privateKeyIn = (text: string) => ofEd25519(text, 'PRIVATE', createPrivateKey)
const publicKeyIn = (text: string) => ofEd25519(text, 'PUBLIC', createPublicKey)

/** By its label too: Node would make a public key from a private one in silence. */
function ofEd25519(
  text: string,
  label: 'PRIVATE' | 'PUBLIC',
  read: (text: string) => KeyObject,
): KeyObject {
  const key = text.includes(`-----BEGIN ${label} KEY-----`)
    ? orNothing(() => read(text))
    : undefined
  if (key?.asymmetricKeyType === 'ed25519') return key
  // What was read is not told: it may be a secret.
  throw new Fault('invalid_input', `is no ${label.toLowerCase()} Ed25519 key in PEM`, {
    hint: 'premath witness keygen makes a pair.',
  })
}

/** Node throws as many kinds of errors as there are ways to be no key. */
function orNothing(read: () => KeyObject): KeyObject | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
