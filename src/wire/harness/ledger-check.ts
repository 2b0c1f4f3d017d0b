import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'

const kind = 'premath.harness.feature_ledger.check.v1'

const FailureClass = z.string().regex(/^harness_feature_ledger\.[a-z_.]+$/)
const Count = z.int().nonnegative()

/** What `premath harness-feature check` prints. */
export const LedgerCheck = z
  .strictObject({
    action: z.literal('harness-feature.check'),
    checkKind: z.literal(kind),
    errors: z.array(
      z.strictObject({ class: FailureClass, featureId: NonEmpty.optional(), message: NonEmpty }),
    ),
    failureClasses: z.array(FailureClass).describe('Of the errors, each once.'),
    nextFeatureId: NonEmpty.nullable(),
    path: NonEmpty,
    requireClosure: z.boolean(),
    result: z.enum(['accepted', 'rejected']),
    summary: z.strictObject({
      blockedCount: Count,
      closureComplete: z.boolean(),
      completedCount: Count,
      featureCount: Count,
      inProgressCount: Count,
      pendingCount: Count,
    }),
  })
  .meta({ title: kind, description: 'Whether a feature ledger can be trusted, and why not.' })
