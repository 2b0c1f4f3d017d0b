import { z } from 'zod'
import { NonEmpty, PolicyDigest } from '../primitives.ts'
import { backoffClasses, escalationActions } from './retry-words.ts'

const kind = 'ci.harness.retry.policy.v1'

export const BackoffClass = z.enum(backoffClasses)
export const EscalationAction = z.enum(escalationActions)

const rule = {
  maxAttempts: z.int().positive(),
  backoffClass: BackoffClass,
  escalationAction: EscalationAction,
}

/** `policies/control/harness-retry-policy-v1.json`. */
export const RetryPolicy = z
  .looseObject({
    schema: z.literal(1),
    policyKind: z.literal(kind),
    policyId: NonEmpty,
    defaultRule: z.looseObject(rule).describe('For classes that have no rule.'),
    rules: z
      .array(z.looseObject({ ruleId: NonEmpty, failureClasses: z.array(NonEmpty).min(1), ...rule }))
      .min(1),
    policyDigest: PolicyDigest.describe(
      'pol1_ and the SHA-256 of the canonical document without this member.',
    ),
  })
  .meta({ title: kind, description: 'How often a failure is tried again, and what happens then.' })
