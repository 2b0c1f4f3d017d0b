import { z } from 'zod'
import { NonEmpty, PolicyDigest } from '../primitives.ts'

const kind = 'ci.harness.decomposition.policy.v1'

/** `policies/control/harness-decomposition-policy-v1.json`. */
export const DecompositionPolicy = z
  .looseObject({
    schema: z.literal(1),
    policyKind: z.literal(kind),
    policyId: NonEmpty,
    patterns: z
      .array(NonEmpty)
      .optional()
      .describe('Execution patterns that may split work; without it, any.'),
    maxFanOut: z.int().positive().describe('How many workers may run at once.'),
    policyDigest: PolicyDigest.describe(
      'pol1_ and the SHA-256 of the canonical document without this member.',
    ),
  })
  .meta({ title: kind, description: 'How work may be split among workers.' })
