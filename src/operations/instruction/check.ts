import type { Page } from '../../answer.ts'
import { type CheckedInstruction, checkEnvelope } from '../../kernel/instruction/envelope.ts'
import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import {
  instructionFields,
  instructionPlace,
  readInstruction,
} from '../../project/policies/instruction-file.ts'
import { instructionPolicies } from '../../project/policies/instruction-policies.ts'
import { refusedInstruction, verdictMessage } from '../../render/instruction-answer.ts'
import { factsPage } from '../../render/titled-page.ts'
import { InstructionCheckAnswer } from '../../wire/answers/instruction.ts'
import { operation } from '../operation.ts'

export const instructionCheck = operation({
  group: 'instruction',
  summary: 'Check whether an instruction is valid and allowed.',
  description:
    'Reads the instruction and the policies in policies/instruction/ of the project, or the built-in ones if it has none. Nothing runs. Exits 0 if the instruction may run, 1 if it is valid but may not, and 2 if it is invalid; the last line on stderr then starts with the failure class.',
  effect: 'read',
  opId: 'op/mcp.instruction_check',
  input: instructionFields,
  output: InstructionCheckAnswer,
  examples: {
    'premath instruction-check --instruction instructions/20260221T000000Z-fix.json':
      'whether it may run',
    'premath instruction-check --instruction 20260221T000000Z-fix.json --json':
      'the checked instruction with its digest',
  },

  async run(input, context) {
    const action = 'instruction-check'
    const place = await instructionPlace(input, context)
    const file = await readInstruction(place)
    if (isRefused(file)) return refusedInstruction(action, file)
    const { envelope } = file
    if (isRefused(envelope)) return refusedInstruction(action, envelope)
    const registry = await instructionPolicies(place.project.root, context)
    const instruction = checkEnvelope(envelope, registry, context.sha256)
    if (isRefused(instruction)) return refusedInstruction(action, instruction)
    const { executionDecision: decision } = instruction
    return {
      output: instruction,
      yes: decision.state === 'execute',
      ...(decision.state === 'reject' && verdictMessage(classesOf(instruction), decision.reason)),
      render: page => instructionPage(file.instructionId, instruction, page),
    }
  },
})

function classesOf({ executionDecision: decision }: CheckedInstruction): readonly string[] {
  if (decision.state === 'execute') return []
  return [...decision.operationalFailureClasses, ...decision.semanticFailureClasses]
}

function instructionPage(id: string, instruction: CheckedInstruction, page: Page): string {
  const { instructionClassification: typed, executionDecision: decision } = instruction
  return factsPage(
    id,
    [
      ['intent', instruction.intent],
      ['decision', decision.state === 'execute' ? 'execute' : `reject: ${decision.reason}`],
      ['type', typed.state === 'typed' ? typed.kind : `unknown: ${typed.reason}`],
      ['checks', instruction.requestedChecks.join(', ')],
      ['claims', instruction.capabilityClaims.join(', ')],
      ['policy', instruction.policyDigest],
      ['digest', instruction.instructionDigest],
    ],
    page,
  )
}
