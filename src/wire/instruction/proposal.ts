import { z } from 'zod'
import { NonEmpty, Refs } from '../primitives.ts'

const kind = 'kcir.proposal.v1'

export const ProposalBinding = z.strictObject({ normalizerId: NonEmpty, policyDigest: NonEmpty })

export const TargetJudgment = z.strictObject({ kind: z.enum(['obj', 'mor']), shape: NonEmpty })

/** What a model proposes to be true. */
export const Proposal = z
  .looseObject({
    proposalKind: z.enum(['value', 'derivation', 'refinementPlan']),
    targetCtxRef: NonEmpty,
    targetJudgment: z.looseObject(TargetJudgment.shape),
    binding: z
      .looseObject(ProposalBinding.shape)
      .describe('Under which normalizer and policy it was made.'),
    candidateRefs: Refs.optional(),
    steps: z
      .array(
        z.looseObject({
          ruleId: NonEmpty,
          claim: NonEmpty,
          inputs: Refs.optional(),
          outputs: Refs.optional(),
        }),
      )
      .min(1)
      .optional()
      .describe('Of a derivation, and of no other kind.'),
    proposalDigest: z.string().optional().describe('Has to be that of the proposal.'),
    proposalKcirRef: z.string().optional().describe('Has to be that of the proposal.'),
  })
  .meta({ title: kind, description: 'What a model proposes to be true.' })

const obligation = z.strictObject({
  obligationId: z.templateLiteral(['obl1_', z.string().regex(/^[0-9a-f]{64}$/)]),
  kind: NonEmpty,
  ctx: z.strictObject({ ref: NonEmpty }),
  subject: z.strictObject({ kind: NonEmpty, ref: NonEmpty }),
  details: z.strictObject({
    proposalKind: NonEmpty,
    candidateCount: z.int().nonnegative(),
    stepCount: z.int().nonnegative(),
    obligationIndex: z.int().nonnegative(),
  }),
})

export const ProposalObligations = z.array(obligation)

export const ProposalDischarge = z.strictObject({
  mode: z.literal('normalized'),
  binding: ProposalBinding,
  outcome: z.enum(['accepted', 'rejected']),
  steps: z.array(
    z.strictObject({
      obligationId: NonEmpty,
      kind: NonEmpty,
      status: z.enum(['passed', 'failed']),
      failureClass: NonEmpty.optional(),
      lawRef: NonEmpty.optional(),
      missingHint: NonEmpty.optional(),
    }),
  ),
  failureClasses: z.array(NonEmpty),
})
