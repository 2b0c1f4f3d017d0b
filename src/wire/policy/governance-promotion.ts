import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'

const kind = 'premath.governance_promotion.v1'

const profile = z.looseObject({
  claimId: NonEmpty.optional(),
  claimed: z.boolean(),
  policyProvenance: z.looseObject({
    pinned: z.boolean(),
    packageRef: NonEmpty,
    expectedDigest: NonEmpty,
    boundDigest: NonEmpty,
  }),
  guardrailStages: z.array(NonEmpty).describe('pre_flight, input, output.'),
  evalGate: z.looseObject({ passed: z.boolean() }),
  evalEvidence: z.looseObject({
    datasetLineageRef: NonEmpty,
    graderConfigLineageRef: NonEmpty,
    metricThresholdsRef: NonEmpty,
  }),
  observabilityMode: z.enum(['dashboard', 'internal_processor', 'disabled']),
  riskTier: z.looseObject({
    tier: z.enum(['low', 'moderate', 'high']),
    controlProfileBound: z.boolean(),
  }),
  selfEvolution: z.looseObject({
    maxAttempts: z.int().positive(),
    terminalEscalation: NonEmpty,
    rollbackRef: NonEmpty,
  }),
})

/** `artifacts/ciwitness/governance-promotion.json`: why a policy may be promoted. */
export const GovernancePromotion = z
  .looseObject({
    promotionIntent: z.boolean(),
    governanceProfile: profile.optional(),
    workflowTrace: z
      .looseObject({
        traceRef: NonEmpty,
        score: z.number(),
        threshold: z.number(),
        grade: NonEmpty.optional(),
      })
      .optional(),
    adversarialGate: z.looseObject({ passed: z.boolean(), reportRef: NonEmpty }).optional(),
  })
  .meta({ title: kind, description: 'The evidence that a change of governance policy needs.' })
