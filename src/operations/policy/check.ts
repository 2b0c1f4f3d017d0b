import { openProject } from '../../project/open.ts'
import { PolicyCheckAnswer } from '../../wire/answers/policy.ts'
import { operation } from '../operation.ts'
import { askPromotion, notPromoted, policyInputFields, readPolicyInput } from '../policy-input.ts'

const action = 'policy.check'

export const policyCheck = operation({
  group: 'project',
  summary: 'Check whether a policy or checks document can be put in force.',
  description:
    'Reads the document, prints its digest, and, if the project claims governance in .premath/capability-registry.json, checks the promotion evidence for that digest. Nothing is written. Exits 0 if premath policy set would succeed, 1 if evidence is missing, and 2 if the document is neither a policy nor checks, is both, or has unknown keys: a misspelled rule would be off.',
  effect: 'read',
  opId: 'op/policy.check',
  input: policyInputFields,
  output: PolicyCheckAnswer,
  examples: {
    'premath policy check --input policy.json': 'its digest, or its errors',
    'premath policy check --input checks.json --promotion evidence.json --json':
      'the missing evidence, as JSON',
  },

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
      render: page => `${page.ink('green', 'Can be put in force')}: ${what} ${digest}\n`,
    }
  },
})
