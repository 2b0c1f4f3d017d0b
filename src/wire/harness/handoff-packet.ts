import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  list,
  literal,
  nullable,
  optional,
  positive,
  record,
  text,
  type ValueOf,
} from '../shape.ts'
import { Feedback } from './feedback.ts'

const kind = 'premath.harness.handoff_packet.v1'

const Output = about(list(NonEmpty), 'Files with what it printed, from the project’s root.')

const Tried = record({
  stepId: NonEmpty,
  workerId: nullable(NonEmpty),
  attempt: nullable(positive),
  startedAt: nullable(Timestamp),
  finishedAt: Timestamp,
  resultClass: NonEmpty,
  failureClasses: list(NonEmpty),
  summary: nullable(text),
  output: Output,
})

const Said = record({ author: text, createdAt: nullable(Timestamp), text })

/** What `PREMATH_HANDOFF_FILE` names: `handoff.json` in the folder of a step. */
export const HandoffPacket = artifact(
  kind,
  'What those who had the issue before leave to the next one.',
  record({
    schema: literal(1),
    packetKind: literal(kind),
    issueId: NonEmpty,
    stepId: about(NonEmpty, 'The step it is for.'),
    takenOverFrom: nullable(NonEmpty, 'Whose lease ran out on the issue.'),
    unfinished: nullable(
      record({
        stepId: NonEmpty,
        workerId: NonEmpty,
        startedAt: Timestamp,
        output: Output,
      }),
      'A step that its worker has neither ended nor reported.',
    ),
    tried: about(list(Tried, { most: 10 }), 'The last steps on the issue, newest first.'),
    comments: optional(
      list(Said, { most: 5 }),
      'The last comments on the issue, oldest first. A long text is cut.',
    ),
    attention: optional(
      list(NonEmpty, { most: 5 }),
      'What the last run reported about the issue, newest first.',
    ),
    feedback: optional(Feedback, 'The last attempt, if it failed: its command and its output.'),
    next: about(NonEmpty, 'What to do about all that.'),
  }),
)
export type HandoffPacket = ValueOf<typeof HandoffPacket>
