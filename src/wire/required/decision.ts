import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  flag,
  list,
  literal,
  map,
  matching,
  nullable,
  optional,
  record,
  type ValueOf,
  word,
} from '../shape.ts'

const decisionKind = 'ci.required.decision.v1'

export const decisions = ['accept', 'reject'] as const

const lineage = {
  projectionDigest: optional(NonEmpty),
  typedCoreProjectionDigest: optional(NonEmpty),
  authorityPayloadDigest: optional(NonEmpty),
  normalizerId: optional(NonEmpty),
  policyDigest: optional(NonEmpty),
}

/** The answer of `premath required-witness-verify`. */
export const WitnessVerification = record({
  errors: list(NonEmpty),
  derived: record({
    changedPaths: list(NonEmpty),
    ...lineage,
    requiredChecks: list(NonEmpty),
    executedChecks: list(NonEmpty),
    gateWitnessSourceByCheck: map(NonEmpty),
    gateSemanticFailureClassesByCheck: map(list(NonEmpty)),
    docsOnly: flag,
    reasons: list(NonEmpty),
    expectedVerdict: word(['accepted', 'rejected']),
  }),
})
export type WitnessVerification = ValueOf<typeof WitnessVerification>

/** The answer of `premath required-witness-decide`. */
export const WitnessDecision = record({
  decisionKind: literal(decisionKind),
  decision: word(decisions),
  reasonClass: word(['verified_accept', 'verification_reject', 'invalid_witness_shape']),
  ...lineage,
  requiredChecks: optional(list(NonEmpty)),
  errors: list(NonEmpty),
})
export type WitnessDecision = ValueOf<typeof WitnessDecision>

/** The answer of `premath required-decision-verify`. */
export const DecisionVerification = record({
  errors: list(NonEmpty),
  derived: record({
    decision: optional(NonEmpty),
    ...lineage,
    requiredChecks: optional(list(NonEmpty)),
  }),
})
export type DecisionVerification = ValueOf<typeof DecisionVerification>

const Sha256Hex = matching('^[0-9a-f]{64}$')

/** `artifacts/ciwitness/latest-decision.json`. */
export const RequiredDecision = artifact(
  decisionKind,
  'Whether the required checks of a change let it pass.',
  record({
    schema: literal(1),
    decisionKind: literal(decisionKind),
    decision: word(decisions),
    witnessPath: about(NonEmpty, 'Absolute.'),
    witnessSha256: about(Sha256Hex, 'Of the bytes of the file.'),
    deltaSnapshotPath: NonEmpty,
    deltaSha256: Sha256Hex,
    typedCoreProjectionDigest: nullable(NonEmpty),
    authorityPayloadDigest: nullable(NonEmpty),
    normalizerId: nullable(NonEmpty),
    policyDigest: nullable(NonEmpty),
    projectionDigest: nullable(NonEmpty),
    requiredChecks: list(NonEmpty),
    nativeRequiredChecks: about(list(NonEmpty), 'Checks that must write their own witness.'),
    reasonClass: NonEmpty,
    errors: list(NonEmpty),
  }),
)
export type RequiredDecision = ValueOf<typeof RequiredDecision>
