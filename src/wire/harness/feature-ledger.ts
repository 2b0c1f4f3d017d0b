import { NonEmpty, Refs } from '../primitives.ts'
import { about, artifact, list, literal, openRecord, optional, word } from '../shape.ts'

const kind = 'premath.harness.feature_ledger.v1'

const Feature = openRecord({
  featureId: about(NonEmpty, 'One row has it.'),
  status: word(['pending', 'in_progress', 'blocked', 'completed']),
  issueId: optional(NonEmpty),
  summary: optional(NonEmpty),
  instructionRefs: optional(Refs),
  verificationRefs: optional(Refs, 'What verified it; a completed feature needs one.'),
  updatedAt: NonEmpty,
})

/** `.premath/harness_feature_ledger.json`. Members it does not name are kept. */
export const FeatureLedger = artifact(
  kind,
  'One row a feature: how far it is, and what verified it.',
  openRecord({
    schema: literal(1),
    ledgerKind: literal(kind),
    sessionRef: optional(NonEmpty),
    updatedAt: NonEmpty,
    features: about(list(Feature), 'By featureId; at most one is in_progress.'),
  }),
)
