import { Timestamp } from '../primitives.ts'
import {
  any,
  artifact,
  count,
  flag,
  list,
  literal,
  openRecord,
  optional,
  record,
  text,
  variant,
} from '../shape.ts'

/** What `premath observe` answers: the members depend on the mode. */
export const Observed = artifact(
  'premath.observe.v1',
  'A part of the observation surface.',
  openRecord({
    evaluatedAt: optional(Timestamp),
    summary: optional(any, 'Mode latest.'),
    latest: optional(any, 'Mode latest.'),
    needsAttention: optional(flag, 'Mode needs_attention, with the members below.'),
    state: optional(text),
    coherence: optional(any),
    attention: optional(list(any)),
    instructionId: optional(text, 'Mode instruction: the row of the instruction.'),
    projectionDigest: optional(any, 'Mode projection, with the rows that have it.'),
    required: optional(any),
    delta: optional(any),
    decision: optional(any),
  }),
)

/** One line of `premath observe-serve --json`. */
export const ServeEvent = variant('event', [
  record({ event: literal('listening'), url: text, port: count }),
  record({ event: literal('surface'), digest: text, state: text, needsAttention: flag }),
  record({ event: literal('failed'), error: record({ code: text, message: text }) }),
])
