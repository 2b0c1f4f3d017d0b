import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  flag,
  list,
  number,
  openRecord,
  optional,
  positive,
  word,
} from '../shape.ts'

const kind = 'premath.governance_promotion.v1'

export const GovernanceProfile = openRecord({
  claimId: optional(NonEmpty),
  claimed: flag,
  policyProvenance: openRecord({
    pinned: flag,
    packageRef: NonEmpty,
    expectedDigest: NonEmpty,
    boundDigest: NonEmpty,
  }),
  guardrailStages: about(list(NonEmpty), 'pre_flight, input, output.'),
  evalGate: openRecord({ passed: flag }),
  evalEvidence: openRecord({
    datasetLineageRef: NonEmpty,
    graderConfigLineageRef: NonEmpty,
    metricThresholdsRef: NonEmpty,
  }),
  observabilityMode: word(['dashboard', 'internal_processor', 'disabled']),
  riskTier: openRecord({
    tier: word(['low', 'moderate', 'high']),
    controlProfileBound: flag,
  }),
  selfEvolution: openRecord({
    maxAttempts: positive,
    terminalEscalation: NonEmpty,
    rollbackRef: NonEmpty,
  }),
})

/** `artifacts/ciwitness/governance-promotion.json`: why a policy may be promoted. */
export const GovernancePromotion = artifact(
  kind,
  'The evidence that a change of governance policy needs.',
  openRecord({
    promotionIntent: flag,
    governanceProfile: optional(GovernanceProfile),
    workflowTrace: optional(
      openRecord({
        traceRef: NonEmpty,
        score: number,
        threshold: number,
        grade: optional(NonEmpty),
      }),
    ),
    adversarialGate: optional(openRecord({ passed: flag, reportRef: NonEmpty })),
  }),
)
