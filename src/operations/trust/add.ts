import { type Answer, refusedAnswer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { choiceField, textField } from '../../field.ts'
import { isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { askOverride } from '../../project/authority/override.ts'
import { namingSource } from '../../project/named-document.ts'
import { openProject } from '../../project/open.ts'
import { publicKeyAt } from '../../project/proofs/signing-key.ts'
import { trustPath, trustRoot, writeTrust } from '../../project/proofs/trust-root.ts'
import { TrustAddAnswer } from '../../wire/answers/witness.ts'
import { type TrustRole, trustRoles } from '../../wire/proof/trust.ts'
import { operation } from '../operation.ts'
import { isAgent, notForAgents, refusedIn } from '../people-only.ts'

const action = 'trust.add'

export const trustAdd = operation({
  group: 'witness',
  summary: 'Trust the signatures of a key.',
  description:
    'Adds a public key to .premath/trust.json, after a question at the terminal. A script needs "override": "script" in the policy on the target branch. The harness signs witnesses and closes with a key of role harness; witness verify --rerun signs its results with a key of role ci. A key that is listed already is left as it is. No agent, instruction or step may add one.',
  effect: 'projection',
  opId: 'op/trust.add',
  input: {
    file: textField('public key file', 'The public key, in PEM.', {
      positional: true,
      required: true,
      path: true,
    }),
    role: choiceField(trustRoles, 'What the key signs.', { required: true }),
  },
  output: TrustAddAnswer,
  examples: {
    'premath trust add harness.pub.pem --role harness': 'trusts the key of a machine',
    'premath trust add ci.pub.pem --role ci': 'trusts the key of CI',
  },

  async run({ file, role }, context) {
    if (isAgent(context)) return notForAgents(action, 'list of trusted keys')
    const project = await openProject(context)
    const publicKey = await publicKeyAt(file, context)
    const { keyIdOf } = await context.signing()
    const keyId = await namingSource(file, () => keyIdOf(publicKey))
    const keys = (await trustRoot(undefined, project))?.keys ?? []
    const known = keys.find(one => one.keyId === keyId)
    if (known?.role === role) return added({ keyId, role }, 'there already')
    if (known) {
      throw new Fault('usage', `the key ${keyId} is trusted as ${known.role}`, {
        hint: `Remove it first: premath trust remove ${keyId}.`,
        detail: { keyId },
      })
    }
    const question = `Trust what the key ${keyId} signs as ${role}?`
    const by = await askOverride({ what: 'trust a key', question }, project)
    if (isRefusal(by)) return refusedAnswer({ action, keyId, role }, refusedIn(by))
    await writeTrust(
      { schema: 1, keys: [...keys, { keyId, role, publicKey, addedBy: by }] },
      project,
    )
    return added({ keyId, role }, 'added')
  },
})

const added = (
  { keyId, role }: { readonly keyId: string; readonly role: TrustRole },
  result: 'added' | 'there already',
): Answer<unknown> => ({
  output: { action, keyId, role, result, path: trustPath },
  yes: true,
  render: () =>
    result === 'added'
      ? `Trusted as ${role}: ${keyId}\n  in ${trustPath}; commit it\n`
      : `Trusted as ${role} already: ${keyId}\n`,
})
