import { NonEmpty } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  flag,
  list,
  literal,
  matching,
  nullable,
  optional,
  record,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.harness.feature_ledger.check.v1'

const FailureClass = matching('^harness_feature_ledger\\.[a-z_.]+$')

/** What `premath harness-feature check` prints. */
export const LedgerCheck = artifact(
  kind,
  'Whether a feature ledger can be trusted, and why not.',
  record({
    action: literal('harness-feature.check'),
    checkKind: literal(kind),
    errors: list(record({ class: FailureClass, featureId: optional(NonEmpty), message: NonEmpty })),
    failureClasses: about(list(FailureClass), 'Of the errors, each once.'),
    nextFeatureId: nullable(NonEmpty),
    path: NonEmpty,
    requireClosure: flag,
    result: word(['accepted', 'rejected']),
    summary: record({
      blockedCount: count,
      closureComplete: flag,
      completedCount: count,
      featureCount: count,
      inProgressCount: count,
      pendingCount: count,
    }),
  }),
)
export type LedgerCheck = ValueOf<typeof LedgerCheck>
