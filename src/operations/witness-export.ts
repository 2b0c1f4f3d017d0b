import { Fault } from '../fault.ts'
import { idField, memoryFields } from './issue-fields.ts'
import { openWitnesses } from './open-witnesses.ts'
import { operation } from './operation.ts'
import { keyField } from './signing-key.ts'

export const witnessExport = operation({
  group: 'witness',
  summary: 'Write the proof of a closed issue into one document.',
  description:
    'A bundle that witness verify reads anywhere, without the project. With --attest it is in-toto statements instead, one signed envelope a line: what passed, and that the issue was verified. The proof is verified first, and one that does not hold is not exported: exits 1 or 5, as witness verify does, and writes nothing.',
  effect: 'read',
  input: {
    ...idField,
    output: {
      type: 'text',
      describe: 'The file to write; without it, standard output.',
      placeholder: 'file',
      path: true,
    },
    attest: { type: 'flag', describe: 'Sign statements for tools that know in-toto and DSSE.' },
    key: keyField,
    ...memoryFields,
  },
  examples: [
    { command: 'premath witness export bd-1 --output bd-1.proof.json', shows: 'a bundle' },
    {
      command: 'premath witness export bd-1 --attest --output bd-1.intoto.jsonl',
      shows: 'the same as signed statements',
    },
  ],

  async run({ id, output, attest, key, issues }, context) {
    if (key !== undefined && !attest) throw new Fault('usage', '--key is for --attest')
    const open = await openWitnesses(context, { issues })
    // Schemas are large, and help needs none.
    const { exportProof } = await import('./proof-export.ts')
    return await exportProof({ id, output, attest, key }, open, context)
  },
})
