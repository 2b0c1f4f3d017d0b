import { NonEmpty, Refs, Timestamp } from '../primitives.ts'
import { Budget } from '../run/budget.ts'
import {
  artifact,
  literal,
  openRecord,
  optional,
  orElse,
  orNone,
  text,
  untouched,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'

const kind = 'premath.harness.session.v1'

export const sessionStates = ['active', 'stopped'] as const

/** Shows that the worker of a session holds its issue. */
export const HeldLease = openRecord({ leaseId: NonEmpty, fence: whole })
export type HeldLease = ValueOf<typeof HeldLease>

/** `.premath/harness_session.json`. Members it does not name are kept. */
export const Session = artifact(
  kind,
  'What one context leaves for the next. Never authority.',
  openRecord({
    schema: literal(1),
    sessionKind: literal(kind),
    sessionId: NonEmpty,
    state: word(sessionStates),
    issueId: optional(NonEmpty, 'The issue that was worked on.'),
    summary: optional(NonEmpty, 'What the last context learned, for the next one.'),
    nextStep: optional(NonEmpty),
    instructionRefs: orNone(Refs),
    witnessRefs: orNone(Refs),
    lineageRefs: orNone(Refs),
    startedAt: Timestamp,
    updatedAt: Timestamp,
    stoppedAt: optional(Timestamp, 'When it was stopped; absent while it is active.'),
    issuesPath: orElse(text, ''),
    issuesSnapshotRef: optional(NonEmpty, 'Issue memory as it stood.'),
    premathLease: untouched(
      HeldLease,
      'The lease that the worker of the session holds on the issue; absent when it is stopped.',
    ),
    premathBudget: untouched(
      Budget,
      'What a run has used up of its budget, for the one that goes on; absent where one came to its end.',
    ),
  }),
)
export type Session = ValueOf<typeof Session>
