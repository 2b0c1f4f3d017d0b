import { BackoffClass, EscalationAction } from '../policy/retry-policy.ts'
import { NonEmpty, PolicyDigest, Refs } from '../primitives.ts'
import { about, artifact, count, flag, literal, positive, record, type ValueOf } from '../shape.ts'

const kind = 'premath.harness.retry_decision.v1'

export const RetryDecision = artifact(
  kind,
  'Whether a failure is tried again.',
  record({
    decisionKind: literal(kind),
    attempt: about(positive, 'The attempt that failed, counted from 1.'),
    maxAttempts: positive,
    retry: flag,
    backoffClass: BackoffClass,
    backoffMs: about(count, 'How long to wait before the next attempt.'),
    escalationAction: about(EscalationAction, 'What happens when no attempt is left.'),
    ruleId: NonEmpty,
    matchedFailureClass: NonEmpty,
    failureClasses: Refs,
    policyId: NonEmpty,
    policyDigest: PolicyDigest,
  }),
)
export type RetryDecision = ValueOf<typeof RetryDecision>
