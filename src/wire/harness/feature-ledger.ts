import { z } from 'zod'
import { NonEmpty, Refs } from '../primitives.ts'

const kind = 'premath.harness.feature_ledger.v1'

const Feature = z.looseObject({
  featureId: NonEmpty.describe('One row has it.'),
  status: z.enum(['pending', 'in_progress', 'blocked', 'completed']),
  issueId: NonEmpty.optional(),
  summary: NonEmpty.optional(),
  instructionRefs: Refs.optional(),
  verificationRefs: Refs.optional().describe('What verified it; a completed feature needs one.'),
  updatedAt: NonEmpty,
})

/** `.premath/harness_feature_ledger.json`. Members it does not name are kept. */
export const FeatureLedger = z
  .looseObject({
    schema: z.literal(1),
    ledgerKind: z.literal(kind),
    sessionRef: NonEmpty.optional(),
    updatedAt: NonEmpty,
    features: z.array(Feature).describe('By featureId; at most one is in_progress.'),
  })
  .meta({ title: kind, description: 'One row a feature: how far it is, and what verified it.' })
