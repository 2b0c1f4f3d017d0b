import { Fault } from '../../fault.ts'
import { visible } from '../../kernel/text/visible.ts'
import { keyField, keyPath, privateKeyAt, publicKeyPath } from '../../project/proofs/signing-key.ts'
import { operation } from '../operation.ts'

export const witnessKeygen = operation({
  group: 'witness',
  summary: 'Make a key that attestations are signed by.',
  description:
    'A pair of Ed25519 keys: the private one in a file that nobody else may read, the public one beside it, as .pub.pem, for whoever verifies. A key that is there is never replaced. Nothing of the private key is printed.',
  effect: 'projection',
  input: { key: keyField },
  examples: [
    { command: 'premath witness keygen', shows: 'where the two keys are' },
    {
      command: 'premath witness keygen --key /secrets/team.pem',
      shows: 'one that has its own place',
    },
  ],

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
    // Where a disk knows no permissions, a key on it would be everybody's.
    await privateKeyAt(path, context)
    await disk.replace(publicPath, encoder.encode(publicKey))
    const keyId = signing.keyIdOf(publicKey)
    return {
      output: { action: 'witness.keygen', keyId, keyPath: path, publicKeyPath: publicPath },
      yes: true,
      render: () =>
        `Made ${visible(path)}\n  for whoever verifies: ${visible(publicPath)}\n  ${keyId}\n`,
    }
  },
})

const isThere = (path: string) =>
  new Fault('usage', `${path} is there already, and a key is never replaced`, {
    hint: 'Use it, or name another file: --key <file>.',
    detail: { path },
  })
