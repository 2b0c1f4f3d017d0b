import { isGiven } from '../../kernel/instruction/instruction-field.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { changedPathsOf } from '../../kernel/required/changed-paths.ts'
import { decideRequired } from '../../kernel/required/decide.ts'
import { openProject } from '../../project/open.ts'
import { openPathRules } from '../../project/required/open-rules.ts'
import { inputField, requiredInput, witnessInput } from '../../project/required/required-input.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { errorsPage } from '../../render/required-page.ts'
import { WitnessDecision } from '../../wire/required/decision.ts'
import { operation } from '../operation.ts'

export const requiredWitnessDecide = operation({
  group: 'required',
  opId: 'op/ci.decide_required',
  summary: 'Decide whether the required checks of a change let it pass.',
  description:
    'Accepts a witness whose verdict is accepted, which verifies without a difference, and which is about the expected paths if they are given. Exits 0 for accept, 1 for reject, and 2 if the input is invalid.',
  effect: 'read',
  input: inputField(
    'witness as JSON, with expectedChangedPaths, witnessRoot or gateWitnessPayloads',
  ),
  output: WitnessDecision,
  examples: {
    'premath required-witness-decide --input question.json': 'accept or reject, and why',
    'premath required-witness-decide --input - --json': 'the decision as JSON',
  },

  async run({ input }, context) {
    const action = 'required-witness-decide'
    const failureClass = 'required_witness_decide_invalid'
    const document = await requiredInput(input, failureClass, context)
    if (isRefused(document)) return refusedInstruction(action, document)
    const asked = await witnessInput(document, failureClass, context)
    if (isRefused(asked)) return refusedInstruction(action, asked)
    const at = { at: 'expectedChangedPaths', failureClass } as const
    const expectedChangedPaths = isGiven(document, 'expectedChangedPaths')
      ? changedPathsOf(document['expectedChangedPaths'], at)
      : undefined
    if (isRefused(expectedChangedPaths)) return refusedInstruction(action, expectedChangedPaths)
    const rules = await openPathRules(await openProject(context))
    if (isRefused(rules)) return refusedInstruction(action, rules)
    const decision = decideRequired({ ...asked, expectedChangedPaths, rules }, context.sha256)
    return {
      output: decision,
      yes: decision.decision === 'accept',
      render: page =>
        errorsPage(`${decision.decision} (${decision.reasonClass})`, decision.errors, page),
    }
  },
})
