import { NonEmpty } from '../primitives.ts'
import { artifact, count, list, literal, nullable, record, text, word } from '../shape.ts'

const kind = 'premath.ci_instruction.v1'

/** `premath ci-instruction` answers it. */
export const CiInstruction = artifact(
  kind,
  'How an instruction came out in CI: its check, its run and its witness.',
  record({
    schema: literal(1),
    checkKind: literal(kind),
    action: literal('ci-instruction'),
    result: word(['accepted', 'rejected']),
    failureClasses: list(NonEmpty),
    instructionId: nullable(NonEmpty),
    instructionDigest: nullable(NonEmpty),
    witnessPath: nullable(NonEmpty),
    witnessDigest: nullable(NonEmpty),
    stages: list(record({ stage: word(['check', 'run', 'verify']), exitCode: count })),
    summary: text,
  }),
)
