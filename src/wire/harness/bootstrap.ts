import { NonEmpty, Refs, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  flag,
  literal,
  nullable,
  record,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.harness.bootstrap.v1'

/** What `premath harness-session bootstrap` prints. */
export const Bootstrap = artifact(
  kind,
  'How a fresh context starts, and from what.',
  record({
    action: literal('harness-session.bootstrap'),
    bootstrapKind: literal(kind),
    featureClosureComplete: nullable(flag),
    featureCount: nullable(count),
    featureLedgerRef: NonEmpty,
    instructionRefs: Refs,
    issuesPath: nullable(NonEmpty),
    issuesSnapshotRef: nullable(NonEmpty),
    lineageRefs: Refs,
    mode: about(
      word(['fresh', 'resume', 'attach']),
      'fresh: no session yet; resume: it was stopped; attach: it is active.',
    ),
    nextFeatureId: nullable(NonEmpty),
    nextStep: nullable(NonEmpty),
    resumeIssueId: nullable(NonEmpty),
    sessionId: nullable(NonEmpty),
    sessionRef: NonEmpty,
    startedAt: nullable(Timestamp),
    stoppedAt: nullable(Timestamp),
    summary: nullable(NonEmpty),
    updatedAt: nullable(Timestamp),
    witnessRefs: Refs,
  }),
)
export type Bootstrap = ValueOf<typeof Bootstrap>
