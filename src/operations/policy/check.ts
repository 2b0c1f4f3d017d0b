import { openProject } from '../../project/open.ts'
import { operation } from '../operation.ts'
import { askPromotion, notPromoted, policyInputFields, readPolicyInput } from '../policy-input.ts'

const action = 'policy.check'

export const policyCheck = operation({
  group: 'project',
  summary: 'Check whether a policy, or checks, could be put in force.',
  description:
    'Reads the document, tells its digest, and asks for a promotion where the project claims governance in .premath/capability-registry.json: the evidence has to be bound to that digest. Nothing is written. Exits 0 when premath policy set would do it, 1 when evidence is missing and 2 when the document is neither a policy nor checks, is both, or says what they do not know: a rule that is misspelt, or in the wrong place, would be off.',
  effect: 'read',
  input: policyInputFields,
  examples: [
    { command: 'premath policy check --input policy.json', shows: 'its digest, or what is wrong' },
    {
      command: 'premath policy check --input checks.json --promotion evidence.json --json',
      shows: 'what the evidence lacks, for a program',
    },
  ],

  async run({ input, promotion }, context) {
    const project = await openProject(context)
    const document = await readPolicyInput(input, context)
    const asked = await askPromotion(action, document, promotion, project)
    if ('output' in asked) return asked
    if (asked.findings.length > 0) return notPromoted(action, document, asked.findings)
    const { what, digest } = document
    return {
      output: { action, digest, failureClasses: [], findings: [], result: 'accepted', what },
      yes: true,
      render: page => `${page.ink('green', 'Could be put in force')}: ${what} ${digest}\n`,
    }
  },
})
