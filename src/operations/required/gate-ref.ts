import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { gateRef } from '../../kernel/required/gate-ref.ts'
import { inputField, requiredInput } from '../../project/required/required-input.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { gateRefPage } from '../../render/required-page.ts'
import { GateRefAnswer } from '../../wire/required/gate-witness.ts'
import { operation } from '../operation.ts'

export const requiredGateRef = operation({
  group: 'required',
  opId: 'op/ci.required_gate_ref',
  summary: 'Refer to the gate witness of a check by its digest.',
  description:
    'Takes the gate witness that a check wrote, or makes one from its exit code. Prints the reference, and the witness that was made. Nothing is written. Exits 0 whatever the result of the check is, and 2 if the input is invalid.',
  effect: 'read',
  input: inputField('checkId, artifactRelPath, and gatePayload or fallback, as JSON'),
  output: GateRefAnswer,
  examples: {
    'premath required-gate-ref --input gate.json --json': 'the reference and its digest',
  },

  async run({ input }, context) {
    const action = 'required-gate-ref'
    const document = await requiredInput(input, 'required_gate_ref_invalid', context)
    const answer = isRefused(document) ? document : gateRef(document, context.sha256)
    if (isRefused(answer)) return refusedInstruction(action, answer)
    return { output: answer, yes: true, render: page => gateRefPage(answer.gateWitnessRef, page) }
  },
})
