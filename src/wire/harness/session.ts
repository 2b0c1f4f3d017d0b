import { z } from 'zod'
import { NonEmpty, Refs, Timestamp } from '../primitives.ts'
import { Budget } from '../run/budget.ts'

const kind = 'premath.harness.session.v1'

/** `.premath/harness_session.json`. Members it does not name are kept. */
export const Session = z
  .looseObject({
    schema: z.literal(1),
    sessionKind: z.literal(kind),
    sessionId: NonEmpty,
    state: z.enum(['active', 'stopped']),
    issueId: NonEmpty.optional().describe('The issue that was worked on.'),
    summary: NonEmpty.optional().describe('What the last context learned, for the next one.'),
    nextStep: NonEmpty.optional(),
    instructionRefs: Refs.optional(),
    witnessRefs: Refs.optional(),
    lineageRefs: Refs.optional(),
    startedAt: Timestamp,
    updatedAt: Timestamp,
    stoppedAt: Timestamp.optional().describe('When it was stopped; absent while it is active.'),
    issuesPath: z.string().optional(),
    issuesSnapshotRef: NonEmpty.optional().describe('Issue memory as it stood.'),
    premathBudget: Budget.optional().describe(
      'What a run has used up of its budget, for the one that goes on; absent where one came to its end.',
    ),
  })
  .meta({ title: kind, description: 'What one context leaves for the next. Never authority.' })
