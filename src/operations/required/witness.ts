import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { readRequiredRuntime, witnessRequired } from '../../kernel/required/required-witness.ts'
import { requiredInput, runtimeField } from '../../project/required/required-input.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { requiredWitnessPage } from '../../render/required-page.ts'
import { RequiredWitness } from '../../wire/required/required-witness.ts'
import { operation } from '../operation.ts'

export const requiredWitness = operation({
  group: 'required',
  opId: 'op/ci.required_witness',
  summary: 'Create the witness of required checks that ran elsewhere.',
  description:
    'Builds the witness from the record of a run: its projection, its times and the result of each check. Prints the witness and writes nothing. A check that did not run has not passed. Exits 0 if the verdict is accepted, 1 if it is rejected, and 2 if the record is invalid.',
  effect: 'read',
  input: runtimeField('The record of the run as JSON'),
  output: RequiredWitness,
  examples: {
    'premath required-witness --runtime run.json --json': 'the witness',
  },

  async run({ runtime }, context) {
    const action = 'required-witness'
    const document = await requiredInput(runtime, 'required_witness_runtime_invalid', context)
    const read = isRefused(document) ? document : readRequiredRuntime(document)
    if (isRefused(read)) return refusedInstruction(action, read)
    const witness = witnessRequired(read, context.sha256)
    return {
      output: witness,
      yes: witness.verdictClass === 'accepted',
      render: page => requiredWitnessPage(witness, page),
    }
  },
})
