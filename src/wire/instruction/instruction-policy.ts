import { NonEmpty, PolicyDigest } from '../primitives.ts'
import { about, artifact, list, literal, optional, record } from '../shape.ts'

const kind = 'ci.instruction.policy.v1'

/** `policies/instruction/*.json`. */
export const InstructionPolicy = artifact(
  kind,
  'Which checks and normalizers an instruction may ask for, and which checks it must ask for.',
  record({
    schema: literal(1),
    policyKind: literal(kind),
    policyId: NonEmpty,
    allowedChecks: list(NonEmpty, { least: 1 }),
    requiredChecks: optional(
      list(NonEmpty, { least: 1 }),
      'Those of the allowed checks that every instruction must ask for; none when absent.',
    ),
    allowedNormalizers: list(NonEmpty, { least: 1 }),
    policyDigest: about(
      PolicyDigest,
      'pol1_ and the SHA-256 of the canonical document without this member, its lists in order.',
    ),
  }),
)
