import { z } from 'zod'
import { Digest, NonEmpty, Timestamp } from '../primitives.ts'
import { GovernancePromotion } from './governance-promotion.ts'

const kind = 'premath.policy_entry.v1'

/** One line of `.premath/policy-log.jsonl`. */
export const PolicyEntry = z
  .looseObject({
    schema: z.literal(1),
    entryKind: z.literal(kind),
    at: Timestamp,
    operator: NonEmpty,
    reason: NonEmpty,
    what: z.enum(['policy', 'checks']),
    digest: Digest.describe('Of what the document says.'),
    document: z.looseObject({}).describe('The policy, or the checks, as they were put in force.'),
    promotion: z
      .looseObject({ digest: Digest, evidence: GovernancePromotion })
      .optional()
      .describe('The evidence, where governance was claimed.'),
    previous: Digest.nullable().describe('The entryDigest of the line before; null in the first.'),
    entryDigest: Digest.describe('Of all that the line says, but for itself, as canonical JSON.'),
  })
  .meta({ title: kind, description: 'What was put in force, by whom and on what evidence.' })
