import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { changedPathsOf } from '../../kernel/required/changed-paths.ts'
import { verifyRequiredWitness } from '../../kernel/required/verify-witness.ts'
import { counted } from '../../kernel/text/counted.ts'
import { openProject } from '../../project/open.ts'
import { openPathRules } from '../../project/required/open-rules.ts'
import { inputField, requiredInput, witnessInput } from '../../project/required/required-input.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { errorsPage } from '../../render/required-page.ts'
import { WitnessVerification } from '../../wire/required/decision.ts'
import { operation } from '../operation.ts'

export const requiredWitnessVerify = operation({
  group: 'required',
  opId: 'op/ci.verify_required_witness',
  summary: 'Verify a witness of required checks.',
  description:
    'Derives the witness again from the changed paths and the path rules of the project, and compares every member. Gate witnesses come from gateWitnessPayloads or from files below witnessRoot, and must have the digest, the result and the failures that the witness names. Exits 0 if nothing differs, 1 if something does, and 2 if the input is invalid.',
  effect: 'read',
  input: inputField('witness and changedPaths as JSON, with witnessRoot or gateWitnessPayloads'),
  output: WitnessVerification,
  examples: {
    'premath required-witness-verify --input question.json': 'whether the witness holds',
    'premath required-witness-verify --input - --json': 'every difference, and what was derived',
  },

  async run({ input }, context) {
    const action = 'required-witness-verify'
    const failureClass = 'required_witness_verify_invalid'
    const document = await requiredInput(input, failureClass, context)
    if (isRefused(document)) return refusedInstruction(action, document)
    const asked = await witnessInput(document, failureClass, context)
    if (isRefused(asked)) return refusedInstruction(action, asked)
    const at = { at: 'changedPaths', failureClass } as const
    const changedPaths = changedPathsOf(document['changedPaths'], at)
    if (isRefused(changedPaths)) return refusedInstruction(action, changedPaths)
    const rules = await openPathRules(await openProject(context))
    if (isRefused(rules)) return refusedInstruction(action, rules)
    const verified = verifyRequiredWitness({ ...asked, changedPaths, rules }, context.sha256)
    const { errors } = verified
    const title = errors.length === 0 ? 'the witness holds' : counted(errors.length, 'difference')
    return {
      output: verified,
      yes: errors.length === 0,
      render: page => errorsPage(title, errors, page),
    }
  },
})
