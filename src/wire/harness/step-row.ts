import { z } from 'zod'
import { NonEmpty, Refs } from '../primitives.ts'

const kind = 'premath.harness.step.v1'

const Timestamp = z.iso.datetime({ offset: true })
const Millis = z.int().nonnegative()

export const Command = z.looseObject({
  role: z.enum(['startup', 'before', 'work', 'verify', 'transport']),
  commandDigest: z.string(),
  exitCode: z.int().nonnegative().nullable().describe('null where a signal ended it.'),
  signal: z.string().optional(),
  durationMs: Millis,
  outputDigest: z.string(),
})

export const Turn = z.looseObject({
  callSpecDigest: z.string(),
  useSetDigest: z.string(),
  joinSetDigest: z.string(),
  joinClosed: z.boolean(),
  mutationReady: z.boolean(),
  failureClasses: z.array(z.string()),
})

/** One line of `.premath/harness_trajectory.jsonl`. Members it does not name are kept. */
export const StepRow = z
  .looseObject({
    schema: z.literal(1),
    stepKind: z.literal(kind),
    stepId: NonEmpty,
    issueId: NonEmpty.optional(),
    action: NonEmpty,
    resultClass: NonEmpty,
    instructionRefs: Refs.optional(),
    witnessRefs: Refs.optional(),
    lineageRefs: Refs.optional(),
    startedAt: Timestamp.optional(),
    finishedAt: Timestamp,
    workerId: NonEmpty.optional(),
    attempt: z.int().positive().optional(),
    durationMs: Millis.optional(),
    nextStep: NonEmpty.optional().describe('What should be done next.'),
    commands: z.array(Command).optional(),
    turn: Turn.optional().describe('What the turns of the step came to.'),
  })
  .meta({ title: kind, description: 'A step that ended, as the trajectory keeps it.' })
