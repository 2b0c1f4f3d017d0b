import { NonEmpty, Refs } from '../primitives.ts'
import {
  about,
  absentAs,
  artifact,
  list,
  literal,
  openRecord,
  optional,
  orNone,
  unchecked,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.harness.feature_ledger.v1'

export const featureStatuses = ['pending', 'in_progress', 'blocked', 'completed'] as const
export type FeatureStatus = (typeof featureStatuses)[number]

// The reader lets wrong texts pass: `checkLedger` reports them by class.
const Feature = openRecord({
  featureId: unchecked(about(NonEmpty, 'One row has it.')),
  status: unchecked(word(featureStatuses)),
  issueId: optional(NonEmpty),
  summary: optional(NonEmpty),
  instructionRefs: unchecked(orNone(Refs)),
  verificationRefs: unchecked(orNone(Refs, 'What verified it; a completed feature needs one.')),
  updatedAt: unchecked(NonEmpty),
})
export type Feature = ValueOf<typeof Feature>

/** `.premath/harness_feature_ledger.json`. Members it does not name are kept. */
export const FeatureLedger = artifact(
  kind,
  'One row a feature: how far it is, and what verified it.',
  openRecord({
    schema: literal(1),
    ledgerKind: literal(kind),
    sessionRef: optional(NonEmpty),
    updatedAt: unchecked(NonEmpty),
    features: absentAs(about(list(Feature), 'By featureId; at most one is in_progress.'), []),
  }),
)
export type FeatureLedger = ValueOf<typeof FeatureLedger>
