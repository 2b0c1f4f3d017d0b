import { z } from 'zod'
import { NonEmpty, Refs, Timestamp } from '../primitives.ts'

const kind = 'premath.harness.bootstrap.v1'

/** What `premath harness-session bootstrap` prints. */
export const Bootstrap = z
  .strictObject({
    action: z.literal('harness-session.bootstrap'),
    bootstrapKind: z.literal(kind),
    featureClosureComplete: z.boolean().nullable(),
    featureCount: z.int().nonnegative().nullable(),
    featureLedgerRef: NonEmpty,
    instructionRefs: Refs,
    issuesPath: NonEmpty.nullable(),
    issuesSnapshotRef: NonEmpty.nullable(),
    lineageRefs: Refs,
    mode: z
      .enum(['fresh', 'resume', 'attach'])
      .describe('fresh: no session yet; resume: it was stopped; attach: it is active.'),
    nextFeatureId: NonEmpty.nullable(),
    nextStep: NonEmpty.nullable(),
    resumeIssueId: NonEmpty.nullable(),
    sessionId: NonEmpty.nullable(),
    sessionRef: NonEmpty,
    startedAt: Timestamp.nullable(),
    stoppedAt: Timestamp.nullable(),
    summary: NonEmpty.nullable(),
    updatedAt: Timestamp.nullable(),
    witnessRefs: Refs,
  })
  .meta({ title: kind, description: 'How a fresh context starts, and from what.' })
