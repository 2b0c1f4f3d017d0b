import { Timestamp } from '../primitives.ts'
import { any, artifact, flag, list, openRecord, optional, text } from '../shape.ts'

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
