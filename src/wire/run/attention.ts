import { NonEmpty, Timestamp } from '../primitives.ts'
import { about, artifact, list, literal, optional, record, type ValueOf, word } from '../shape.ts'

const kind = 'premath.harness.attention.v1'

const abouts = [
  'worker_quiet',
  'lease_ending',
  'lease_lost',
  'repeated_failure',
  'work_blocked',
  // No longer written. Files of earlier versions have it.
  'work_left',
  'gate_refused',
  'worker_ended',
  'dependency_cycle',
  'closed_unverified',
  'step_waiting',
  'clock_set_back',
  'landing_parked',
  'environment_failed',
] as const

/** The members that the file and the run event share. */
export const attentionFacts = {
  about: word(abouts),
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
  'An event that a person should look at, reported once per run.',
  record({
    schema: literal(1),
    attentionKind: literal(kind),
    at: Timestamp,
    runId: NonEmpty,
    ...attentionFacts,
  }),
)
export type Attention = ValueOf<typeof Attention>
export type AttentionFacts = Omit<Attention, 'schema' | 'attentionKind' | 'at' | 'runId'>
