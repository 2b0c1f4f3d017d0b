import { Digest, NonEmpty } from '../primitives.ts'
import { about, count, flag, literal, record, text, type ValueOf, word } from '../shape.ts'

/** From the least to the most reticent. */
export const observabilityModes = ['dashboard', 'internal_processor', 'disabled'] as const

/** The payloads of a step are shown and kept, go to a command of the user only, or go nowhere. */
export const ObservabilityMode = word(observabilityModes)
export type ObservabilityMode = ValueOf<typeof ObservabilityMode>

/** What the setting `processorCommand` reads on stdin: one document for each payload. */
export const Payload = record({
  schema: literal(1),
  payloadKind: literal('premath.harness.payload.v1'),
  source: about(NonEmpty, 'The id of the step or instruction.'),
  name: about(NonEmpty, 'Such as `work.stdout` or `evidence.ndjson`.'),
  bytes: about(count, 'The size of the whole payload.'),
  sha256: about(Digest, 'Of the whole payload.'),
  truncated: about(flag, 'Whether `text` is only the end of it.'),
  text,
})
export type Payload = ValueOf<typeof Payload>
