import { NonEmpty, PolicyDigest } from '../primitives.ts'
import {
  about,
  artifact,
  list,
  literal,
  openRecord,
  positive,
  type ValueOf,
  word,
} from '../shape.ts'

export const retryPolicyKind = 'ci.harness.retry.policy.v1'

export const backoffClasses = ['none', 'fixed_short', 'exponential_short'] as const
export const BackoffClass = word(backoffClasses)
export type BackoffClass = ValueOf<typeof BackoffClass>

export const EscalationAction = word(['issue_discover', 'mark_blocked', 'stop'])

const rule = {
  maxAttempts: positive,
  backoffClass: BackoffClass,
  escalationAction: EscalationAction,
}

/** `policies/control/harness-retry-policy-v1.json`. */
export const RetryPolicy = artifact(
  retryPolicyKind,
  'How often a failure is tried again, and what happens then.',
  openRecord({
    schema: literal(1),
    policyKind: literal(retryPolicyKind),
    policyId: NonEmpty,
    defaultRule: about(openRecord(rule), 'For classes that have no rule.'),
    rules: list(
      openRecord({ ruleId: NonEmpty, failureClasses: list(NonEmpty, { least: 1 }), ...rule }),
      { least: 1 },
    ),
    policyDigest: about(
      PolicyDigest,
      'pol1_ and the SHA-256 of the canonical document without this member.',
    ),
  }),
)
export type RetryPolicy = ValueOf<typeof RetryPolicy>
