import { z } from 'zod'
import { NonEmpty, Timestamp } from '../primitives.ts'

const kind = 'premath.harness.handoff_packet.v1'

const Output = z.array(NonEmpty).describe('Files with what it printed, from the project’s root.')

const Tried = z.strictObject({
  stepId: NonEmpty,
  workerId: NonEmpty.nullable(),
  attempt: z.int().positive().nullable(),
  startedAt: Timestamp.nullable(),
  finishedAt: Timestamp,
  resultClass: NonEmpty,
  failureClasses: z.array(NonEmpty),
  summary: z.string().nullable(),
  output: Output,
})

/** What `PREMATH_HANDOFF_FILE` names: `handoff.json` in the folder of a step. */
export const HandoffPacket = z
  .strictObject({
    schema: z.literal(1),
    packetKind: z.literal(kind),
    issueId: NonEmpty,
    stepId: NonEmpty.describe('The step it is for.'),
    takenOverFrom: NonEmpty.nullable().describe('Whose lease ran out on the issue.'),
    unfinished: z
      .strictObject({
        stepId: NonEmpty,
        workerId: NonEmpty,
        startedAt: Timestamp,
        output: Output,
      })
      .nullable()
      .describe('A step that its worker has neither ended nor told of.'),
    tried: z.array(Tried).max(10).describe('The last steps on the issue, newest first.'),
    next: NonEmpty.describe('What to do about all that.'),
  })
  .meta({ title: kind, description: 'What those who had the issue before leave to the next one.' })
