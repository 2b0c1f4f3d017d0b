import { NonEmpty, PolicyDigest } from '../primitives.ts'
import { about, artifact, list, literal, openRecord, positive, word } from '../shape.ts'
import { backoffClasses, escalationActions } from './retry-words.ts'

const kind = 'ci.harness.retry.policy.v1'

export const BackoffClass = word(backoffClasses)
export const EscalationAction = word(escalationActions)

const rule = {
  maxAttempts: positive,
  backoffClass: BackoffClass,
  escalationAction: EscalationAction,
}

/** `policies/control/harness-retry-policy-v1.json`. */
export const RetryPolicy = artifact(
  kind,
  'How often a failure is tried again, and what happens then.',
  openRecord({
    schema: literal(1),
    policyKind: literal(kind),
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
