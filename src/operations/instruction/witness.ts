import { textField } from '../../field.ts'
import { checkEnvelope } from '../../kernel/instruction/envelope.ts'
import {
  type InstructionRefusal,
  isRefused,
  refused,
} from '../../kernel/instruction/instruction-refusal.ts'
import {
  type InstructionRuntime,
  readRuntime,
} from '../../kernel/instruction/instruction-runtime.ts'
import { rejectWitness, witnessInstruction } from '../../kernel/instruction/instruction-witness.ts'
import type { OperationContext } from '../../project/context.ts'
import {
  type InstructionFile,
  type InstructionPlace,
  instructionFields,
  instructionPlace,
  readInstruction,
} from '../../project/policies/instruction-file.ts'
import { instructionPolicies } from '../../project/policies/instruction-policies.ts'
import { smallDocument, Unreadable } from '../../project/small-document.ts'
import { refusedInstruction, verdictMessage } from '../../render/instruction-answer.ts'
import { whyRejected, witnessPage } from '../../render/witness-page.ts'
import { InstructionWitness } from '../../wire/instruction/instruction-witness.ts'
import { operation } from '../operation.ts'

export const instructionWitness = operation({
  group: 'instruction',
  summary: 'Create the witness of an instruction that ran elsewhere.',
  description:
    'Builds the witness from the instruction and the record of its run: its times and the result of each check. The run must belong to this version of the instruction. With both pre-execution flags it is the witness of an instruction that never started. Prints the witness and writes nothing. Exits 0 if the verdict is accepted, 1 if it is rejected, and 2 if the input is invalid.',
  effect: 'read',
  opId: 'op/instruction.witness',
  input: {
    ...instructionFields,
    runtime: textField('file', 'The record of the run as JSON; - reads stdin.', {
      document: true,
      required: true,
      path: true,
    }),
    preExecutionFailureClass: textField('class', 'Why it did not start, as a failure class.'),
    preExecutionReason: textField('text', 'Why it did not start, in words.'),
  },
  output: InstructionWitness,
  examples: {
    'premath instruction-witness --instruction 20260221T000000Z-fix.json --runtime run.json --json':
      'the witness',
  },

  async run(input, context) {
    const place = await instructionPlace(input, context)
    const file = await readInstruction(place)
    const witness = isRefused(file) ? file : await witnessed({ input, place, file }, context)
    if (isRefused(witness)) return refusedInstruction('instruction-witness', witness)
    return {
      output: witness,
      yes: witness.verdictClass === 'accepted',
      ...verdictMessage(witness.failureClasses, whyRejected(witness)),
      render: page => witnessPage(witness, page),
    }
  },
})

interface Asked {
  readonly input: {
    readonly runtime: string
    readonly preExecutionFailureClass: string | undefined
    readonly preExecutionReason: string | undefined
  }
  readonly place: InstructionPlace
  readonly file: InstructionFile
}

const bad = (why: string) => refused('instruction_runtime_invalid', why)

async function witnessed(
  { input, place, file }: Asked,
  context: OperationContext,
): Promise<InstructionWitness | InstructionRefusal> {
  const { preExecutionFailureClass: failureClass, preExecutionReason: reason } = input
  if ((failureClass === undefined) !== (reason === undefined)) {
    return bad('--pre-execution-failure-class and --pre-execution-reason must be given together')
  }
  const { envelope } = file
  const runtime = await runtimeOf(input.runtime, file, context)
  if (isRefused(runtime)) return runtime
  if (failureClass !== undefined && reason !== undefined) {
    if (failureClass.trim() === '' || reason.trim() === '')
      return bad('a pre-execution flag is blank')
    const readable = isRefused(envelope) ? undefined : envelope
    return rejectWitness(readable, runtime, { failureClass, reason }, context.sha256)
  }
  if (isRefused(envelope)) return envelope
  const registry = await instructionPolicies(place.project.root, context)
  const instruction = checkEnvelope(envelope, registry, context.sha256)
  if (isRefused(instruction)) return instruction
  return witnessInstruction(instruction, runtime, context.sha256)
}

/** A run of another instruction, or of an earlier version, proves nothing about this one. */
async function runtimeOf(
  path: string,
  { instructionId, instructionDigest }: InstructionFile,
  context: OperationContext,
): Promise<InstructionRuntime | InstructionRefusal> {
  const document = await smallDocument(path, context)
  if (document instanceof Unreadable) return bad(`${path}: ${document.why}`)
  const runtime = readRuntime(document)
  if (isRefused(runtime)) return runtime
  if (runtime.instructionId !== instructionId) {
    return bad(`instructionId must be ${instructionId}, the name of the file`)
  }
  if (runtime.instructionDigest === instructionDigest) return runtime
  return bad(`instructionDigest must be ${instructionDigest}, the digest of the file`)
}
