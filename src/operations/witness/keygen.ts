import { Fault } from '../../fault.ts'
import { visible } from '../../kernel/text/visible.ts'
import { keyField, keyPath, privateKeyAt, publicKeyPath } from '../../project/proofs/signing-key.ts'
import { WitnessKeygenAnswer } from '../../wire/answers/witness.ts'
import { operation } from '../operation.ts'

export const witnessKeygen = operation({
  group: 'witness',
  summary: 'Create a key for signing attestations.',
  description:
    'Creates an Ed25519 key pair: the private key in a file that only you can read, the public key beside it as .pub.pem. An existing key is never replaced. The private key is never printed.',
  effect: 'projection',
  opId: 'op/witness.keygen',
  input: { key: keyField },
  output: WitnessKeygenAnswer,
  examples: {
    'premath witness keygen': 'the paths of both keys',
    'premath witness keygen --key /secrets/team.pem': 'a key at a custom path',
  },

  async run({ key }, context) {
    const path = keyPath(key, context)
    const publicPath = publicKeyPath(path)
    const [disk, signing] = [await context.disk(), await context.signing()]
    for (const one of [path, publicPath]) {
      if (await disk.entry(one)) throw isThere(one)
    }
    const { privateKey, publicKey } = signing.makeKeys()
    await disk.makeFolder(path.slice(0, path.lastIndexOf('/')) || '/')
    const encoder = new TextEncoder()
    if (!(await disk.makePrivate(path, encoder.encode(privateKey)))) throw isThere(path)
    // On a file system without permissions the key would be readable by everyone.
    await privateKeyAt(path, context)
    await disk.replace(publicPath, encoder.encode(publicKey))
    const keyId = signing.keyIdOf(publicKey)
    return {
      output: { action: 'witness.keygen', keyId, keyPath: path, publicKeyPath: publicPath },
      yes: true,
      render: () =>
        `Created ${visible(path)}\n  public key for verifiers: ${visible(publicPath)}\n  ${keyId}\n`,
    }
  },
})

const isThere = (path: string) =>
  new Fault('usage', `${path} exists, and a key is never replaced`, {
    hint: 'Use it, or name another file: --key <file>.',
    detail: { path },
  })
