import { z } from 'zod'
import { EscalationAction } from '../policy/retry-policy.ts'
import { NonEmpty } from '../primitives.ts'
import { RetryDecision } from './retry-decision.ts'

const kind = 'premath.harness.escalation.v1'

export const Escalation = z
  .strictObject({
    action: z.literal('harness-escalate'),
    escalationKind: z.literal(kind),
    escalationAction: EscalationAction,
    outcome: z
      .enum(['applied', 'already_applied', 'stop'])
      .describe('`already_applied`: an earlier escalation said the same, and is not settled.'),
    issueId: NonEmpty.nullable().describe('The issue it was about; none where it only stops.'),
    issueSource: NonEmpty.nullable().describe('How that issue was found: env, session or ready.'),
    createdIssueId: NonEmpty.nullable(),
    issuesPath: NonEmpty.nullable(),
    note: NonEmpty,
    noteDigest: z.templateLiteral(['note1_', z.string().regex(/^[0-9a-f]{64}$/)]),
    witnessRef: NonEmpty.nullable(),
    decision: RetryDecision,
  })
  .meta({ title: kind, description: 'What was done when no attempt was left.' })
