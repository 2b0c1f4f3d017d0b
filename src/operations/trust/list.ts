import { textField } from '../../field.ts'
import { openProject } from '../../project/open.ts'
import { trustRoot } from '../../project/proofs/trust-root.ts'
import { TrustListAnswer } from '../../wire/answers/witness.ts'
import { operation } from '../operation.ts'

export const trustList = operation({
  group: 'witness',
  summary: 'List the keys whose signatures count.',
  description:
    'Lists the keys in .premath/trust.json, or in another file, with the role of each. Exits 0, also if there is none.',
  effect: 'read',
  opId: 'op/trust.list',
  input: {
    trust: textField('file', 'Another list of keys than that of the project.', { path: true }),
  },
  output: TrustListAnswer,
  examples: { 'premath trust list': 'role and id of each key' },

  async run({ trust: given }, context) {
    const trust = await trustRoot(given, await openProject(context))
    const keys = (trust?.keys ?? []).map(({ keyId, role }) => ({ keyId, role }))
    return {
      output: { action: 'trust.list', count: keys.length, keys },
      yes: true,
      render: () =>
        keys.length === 0
          ? 'No key is trusted\n'
          : keys.map(({ keyId, role }) => `${role.padEnd(7)}  ${keyId}\n`).join(''),
    }
  },
})
