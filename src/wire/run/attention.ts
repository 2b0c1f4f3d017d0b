import { NonEmpty, Timestamp } from '../primitives.ts'
import { about, artifact, list, literal, optional, record, word } from '../shape.ts'

const kind = 'premath.harness.attention.v1'

/** What a person should look at. */
const attentionAbouts = [
  'worker_quiet',
  'lease_ending',
  'lease_lost',
  'repeated_failure',
  'work_blocked',
  'work_left',
  'gate_refused',
  'worker_ended',
  'dependency_cycle',
  'closed_unverified',
  'step_waiting',
  'clock_set_back',
] as const
export type AttentionAbout = (typeof attentionAbouts)[number]

/** What a matter says, in the file and in the event that tells of it. */
export const attentionFacts = {
  about: word(attentionAbouts),
  message: NonEmpty,
  next: about(NonEmpty, 'What to do about it.'),
  workerId: optional(NonEmpty),
  issueId: optional(NonEmpty),
  stepId: optional(NonEmpty),
  failureClasses: optional(list(NonEmpty)),
  blockers: optional(list(NonEmpty), 'Issues that others wait for.'),
}

/** One line of `.premath/harness_attention.jsonl`. */
export const Attention = artifact(
  kind,
  'What a person should look at; told once a run.',
  record({
    schema: literal(1),
    attentionKind: literal(kind),
    at: Timestamp,
    runId: NonEmpty,
    ...attentionFacts,
  }),
)
