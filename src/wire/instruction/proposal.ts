import { NonEmpty, Refs } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  digest,
  list,
  literal,
  openRecord,
  optional,
  orElse,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'kcir.proposal.v1'

export const ProposalBinding = record({ normalizerId: NonEmpty, policyDigest: NonEmpty })
export type ProposalBinding = ValueOf<typeof ProposalBinding>

export const TargetJudgment = record({ kind: word(['obj', 'mor']), shape: NonEmpty })

export const ProposalStep = openRecord({
  ruleId: NonEmpty,
  claim: NonEmpty,
  inputs: orElse(list(NonEmpty), []),
  outputs: orElse(list(NonEmpty), []),
})
export type ProposalStep = ValueOf<typeof ProposalStep>

/** What a model proposes to be true. */
export const Proposal = artifact(
  kind,
  'What a model proposes to be true.',
  openRecord({
    proposalKind: word(['value', 'derivation', 'refinementPlan']),
    targetCtxRef: NonEmpty,
    targetJudgment: openRecord(TargetJudgment.members),
    binding: about(
      openRecord(ProposalBinding.members),
      'Under which normalizer and policy it was made.',
    ),
    candidateRefs: orElse(Refs, []),
    steps: optional(list(ProposalStep, { least: 1 }), 'Of a derivation, and of no other kind.'),
    proposalDigest: optional(text, 'Has to be that of the proposal.'),
    proposalKcirRef: optional(text, 'Has to be that of the proposal.'),
  }),
)
export type Proposal = ValueOf<typeof Proposal>

/** Additional obligations of a refinement plan. */
export const refinementKinds = [
  'adjoint_triple',
  'adjoint_triangle',
  'beck_chevalley_sigma',
  'beck_chevalley_pi',
  'refinement_invariance',
] as const

const ObligationKind = word([
  ...(['stability', 'locality', 'descent_exists', 'ext_gap', 'ext_ambiguous'] as const),
  ...refinementKinds,
])
export type ObligationKind = ValueOf<typeof ObligationKind>

const obligation = record({
  obligationId: digest('obl1_'),
  kind: ObligationKind,
  ctx: record({ ref: NonEmpty }),
  subject: record({ kind: NonEmpty, ref: NonEmpty }),
  details: record({
    proposalKind: NonEmpty,
    candidateCount: count,
    stepCount: count,
    obligationIndex: count,
  }),
})

export const ProposalObligations = list(obligation)
export type ProposalObligation = ValueOf<typeof obligation>

export const ProposalDischarge = record({
  mode: literal('normalized'),
  binding: ProposalBinding,
  outcome: word(['accepted', 'rejected']),
  steps: list(
    record({
      obligationId: NonEmpty,
      kind: ObligationKind,
      status: word(['passed', 'failed']),
      failureClass: optional(NonEmpty),
      lawRef: optional(NonEmpty),
      missingHint: optional(NonEmpty),
    }),
  ),
  failureClasses: list(NonEmpty),
})
export type ProposalDischarge = ValueOf<typeof ProposalDischarge>
