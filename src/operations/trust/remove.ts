import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { openProject } from '../../project/open.ts'
import { trustPath, trustRoot, writeTrust } from '../../project/proofs/trust-root.ts'
import { TrustRemoveAnswer } from '../../wire/answers/witness.ts'
import { operation } from '../operation.ts'
import { isAgent, notForAgents } from '../people-only.ts'

const action = 'trust.remove'

export const trustRemove = operation({
  group: 'witness',
  summary: 'Stop trusting the signatures of a key.',
  description:
    'Removes a key from .premath/trust.json. What it signed counts as unsigned from then on. It asks nobody, because it lets nothing pass. Neither an instruction nor a step may remove one.',
  effect: 'projection',
  opId: 'op/trust.remove',
  input: {
    key: textField('key id', 'The id of the key, or the start of it.', {
      positional: true,
      required: true,
    }),
  },
  output: TrustRemoveAnswer,
  examples: { 'premath trust remove 1f0c6d2ab9e4': 'removes the key whose id starts so' },

  async run({ key }, context) {
    if (isAgent(context)) return notForAgents(action, 'list of trusted keys')
    const project = await openProject(context)
    const keys = (await trustRoot(undefined, project))?.keys ?? []
    const found = keys.filter(({ keyId }) => key !== '' && keyId.startsWith(key))
    const [one] = found
    if (one === undefined || found.length > 1) {
      const why = one === undefined ? 'no trusted key has' : 'several trusted keys have'
      throw new Fault('usage', `${why} an id that starts with "${key}"`, {
        hint: 'premath trust list shows their ids.',
        detail: { key },
      })
    }
    await writeTrust({ schema: 1, keys: keys.filter(other => other !== one) }, project)
    const { keyId, role } = one
    return {
      output: { action, keyId, role, path: trustPath },
      yes: true,
      render: () => `Not trusted any more: ${keyId}\n  in ${trustPath}; commit it\n`,
    }
  },
})
