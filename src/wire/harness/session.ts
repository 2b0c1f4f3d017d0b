import { NonEmpty, Refs, Timestamp } from '../primitives.ts'
import { Budget } from '../run/budget.ts'
import { artifact, literal, openRecord, optional, text, word } from '../shape.ts'

const kind = 'premath.harness.session.v1'

/** `.premath/harness_session.json`. Members it does not name are kept. */
export const Session = artifact(
  kind,
  'What one context leaves for the next. Never authority.',
  openRecord({
    schema: literal(1),
    sessionKind: literal(kind),
    sessionId: NonEmpty,
    state: word(['active', 'stopped']),
    issueId: optional(NonEmpty, 'The issue that was worked on.'),
    summary: optional(NonEmpty, 'What the last context learned, for the next one.'),
    nextStep: optional(NonEmpty),
    instructionRefs: optional(Refs),
    witnessRefs: optional(Refs),
    lineageRefs: optional(Refs),
    startedAt: Timestamp,
    updatedAt: Timestamp,
    stoppedAt: optional(Timestamp, 'When it was stopped; absent while it is active.'),
    issuesPath: optional(text),
    issuesSnapshotRef: optional(NonEmpty, 'Issue memory as it stood.'),
    premathBudget: optional(
      Budget,
      'What a run has used up of its budget, for the one that goes on; absent where one came to its end.',
    ),
  }),
)
