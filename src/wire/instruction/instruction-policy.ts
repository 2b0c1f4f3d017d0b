import { z } from 'zod'
import { NonEmpty, PolicyDigest } from '../primitives.ts'

const kind = 'ci.instruction.policy.v1'

/** `policies/instruction/*.json`. */
export const InstructionPolicy = z
  .strictObject({
    schema: z.literal(1),
    policyKind: z.literal(kind),
    policyId: NonEmpty,
    allowedChecks: z.array(NonEmpty).min(1),
    allowedNormalizers: z.array(NonEmpty).min(1),
    policyDigest: PolicyDigest.describe(
      'pol1_ and the SHA-256 of the canonical document without this member, its lists in order.',
    ),
  })
  .meta({ title: kind, description: 'Which checks and normalizers an instruction may ask for.' })
