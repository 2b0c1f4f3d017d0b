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
  record,
  text,
  word,
} from '../shape.ts'

const kind = 'kcir.proposal.v1'

export const ProposalBinding = record({ normalizerId: NonEmpty, policyDigest: NonEmpty })

export const TargetJudgment = record({ kind: word(['obj', 'mor']), shape: NonEmpty })

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
    candidateRefs: optional(Refs),
    steps: optional(
      list(
        openRecord({
          ruleId: NonEmpty,
          claim: NonEmpty,
          inputs: optional(Refs),
          outputs: optional(Refs),
        }),
        { least: 1 },
      ),
      'Of a derivation, and of no other kind.',
    ),
    proposalDigest: optional(text, 'Has to be that of the proposal.'),
    proposalKcirRef: optional(text, 'Has to be that of the proposal.'),
  }),
)

const obligation = record({
  obligationId: digest('obl1_'),
  kind: NonEmpty,
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

export const ProposalDischarge = record({
  mode: literal('normalized'),
  binding: ProposalBinding,
  outcome: word(['accepted', 'rejected']),
  steps: list(
    record({
      obligationId: NonEmpty,
      kind: NonEmpty,
      status: word(['passed', 'failed']),
      failureClass: optional(NonEmpty),
      lawRef: optional(NonEmpty),
      missingHint: optional(NonEmpty),
    }),
  ),
  failureClasses: list(NonEmpty),
})
