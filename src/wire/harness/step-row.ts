import { NonEmpty, Refs, Timestamp } from '../primitives.ts'
import {
  artifact,
  count,
  flag,
  list,
  literal,
  nullable,
  openRecord,
  optional,
  positive,
  text,
  word,
} from '../shape.ts'

const kind = 'premath.harness.step.v1'

const Millis = count

export const Command = openRecord({
  role: word(['startup', 'before', 'work', 'verify', 'transport']),
  commandDigest: text,
  exitCode: nullable(count, 'null where a signal ended it.'),
  signal: optional(text),
  durationMs: Millis,
  outputDigest: text,
})

export const Turn = openRecord({
  callSpecDigest: text,
  useSetDigest: text,
  joinSetDigest: text,
  joinClosed: flag,
  mutationReady: flag,
  failureClasses: list(text),
})

/** One line of `.premath/harness_trajectory.jsonl`. Members it does not name are kept. */
export const StepRow = artifact(
  kind,
  'A step that ended, as the trajectory keeps it.',
  openRecord({
    schema: literal(1),
    stepKind: literal(kind),
    stepId: NonEmpty,
    issueId: optional(NonEmpty),
    action: NonEmpty,
    resultClass: NonEmpty,
    instructionRefs: optional(Refs),
    witnessRefs: optional(Refs),
    lineageRefs: optional(Refs),
    startedAt: optional(Timestamp),
    finishedAt: Timestamp,
    workerId: optional(NonEmpty),
    attempt: optional(positive),
    durationMs: optional(Millis),
    nextStep: optional(NonEmpty, 'What should be done next.'),
    commands: optional(list(Command)),
    turn: optional(Turn, 'What the turns of the step came to.'),
  }),
)
