import { z } from 'zod'
import { BackoffClass, EscalationAction } from '../policy/retry-policy.ts'
import { NonEmpty, PolicyDigest, Refs } from '../primitives.ts'

const kind = 'premath.harness.retry_decision.v1'

export const RetryDecision = z
  .strictObject({
    decisionKind: z.literal(kind),
    attempt: z.int().positive().describe('The attempt that failed, counted from 1.'),
    maxAttempts: z.int().positive(),
    retry: z.boolean(),
    backoffClass: BackoffClass,
    backoffMs: z.int().nonnegative().describe('How long to wait before the next attempt.'),
    escalationAction: EscalationAction.describe('What happens when no attempt is left.'),
    ruleId: NonEmpty,
    matchedFailureClass: NonEmpty,
    failureClasses: Refs,
    policyId: NonEmpty,
    policyDigest: PolicyDigest,
  })
  .meta({ title: kind, description: 'Whether a failure is tried again.' })
