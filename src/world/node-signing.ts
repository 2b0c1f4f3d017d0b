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
    const isSigned = signatures.some(({ sig }) => {
      const signature = decoded(sig)
      return signed && signature && verify(null, signed, key, signature)
    })
    return bytes && isSigned ? bytes.toString() : undefined
  },
}

/** The bytes that a DSSE signature covers, as version 1 of its protocol defines them. */
function preAuthEncoding(payloadType: string, payload: Buffer): Buffer {
  const header = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(header), payload])
}

/** Strict: Node ignores characters outside base64, so two texts would decode to one signature. */
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

/** Checks the PEM label too: Node would derive a public key from a private one. */
function ofEd25519(
  text: string,
  label: 'PRIVATE' | 'PUBLIC',
  read: (text: string) => KeyObject,
): KeyObject {
  const key = text.includes(`-----BEGIN ${label} KEY-----`)
    ? orUndefined(() => read(text))
    : undefined
  if (key?.asymmetricKeyType === 'ed25519') return key
  // The message leaves the text out: it may be a secret.
  throw new Fault('invalid_input', `is not a ${label.toLowerCase()} Ed25519 key in PEM`, {
    hint: 'Run premath witness keygen to make a key pair.',
  })
}

/** Node throws many kinds of errors for a text that is not a key. */
function orUndefined(read: () => KeyObject): KeyObject | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
