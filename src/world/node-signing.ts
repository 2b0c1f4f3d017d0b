import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
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
  keyIdOf: publicKey => idOf(publicKeyIn(publicKey)),
  sign(payloadType, payload, privateKey) {
    const key = privateKeyIn(privateKey)
    const bytes = Buffer.from(payload)
    const sig = sign(null, preAuthEncoding(payloadType, bytes), key).toString('base64')
    const signatures = [{ keyid: idOf(createPublicKey(key)), sig }]
    return { payloadType, payload: bytes.toString('base64'), signatures }
  },
  openSigned({ payloadType, payload, signatures }, publicKey) {
    const key = publicKeyIn(publicKey)
    const bytes = decoded(payload)
    const signed = bytes && preAuthEncoding(payloadType, bytes)
    const isOurs = signatures.some(({ sig }) => {
      const signature = decoded(sig)
      return signed && signature && verify(null, signed, key, signature)
    })
    return bytes && isOurs ? bytes.toString() : undefined
  },
}

/** The bytes that a DSSE signature covers, as version 1 of its protocol defines them. */
function preAuthEncoding(payloadType: string, payload: Buffer): Buffer {
  const header = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(header), payload])
}

/** Node passes over what is no base64; two texts must not be one signature. */
function decoded(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

const idOf = (key: KeyObject) =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')

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
