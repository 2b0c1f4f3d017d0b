import { EscalationAction } from '../policy/retry-policy.ts'
import { NonEmpty } from '../primitives.ts'
import { about, artifact, digest, literal, nullable, record, type ValueOf, word } from '../shape.ts'
import { RetryDecision } from './retry-decision.ts'

const kind = 'premath.harness.escalation.v1'

export const Escalation = artifact(
  kind,
  'What was done when no attempt was left.',
  record({
    action: literal('harness-escalate'),
    escalationKind: literal(kind),
    escalationAction: EscalationAction,
    outcome: about(
      word(['applied', 'already_applied', 'stop']),
      '`already_applied`: an earlier escalation was the same, and is not settled.',
    ),
    issueId: nullable(NonEmpty, 'The issue it was about; none where it only stops.'),
    issueSource: nullable(NonEmpty, 'How that issue was found: env, session or ready.'),
    createdIssueId: nullable(NonEmpty),
    issuesPath: nullable(NonEmpty),
    note: NonEmpty,
    noteDigest: digest('note1_'),
    witnessRef: nullable(NonEmpty),
    decision: RetryDecision,
  }),
)
export type EscalationReport = ValueOf<typeof Escalation>
