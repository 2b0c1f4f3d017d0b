import { NonEmpty, Timestamp } from '../primitives.ts'
import { artifact, literal, openRecord, type ValueOf, word } from '../shape.ts'

const kind = 'premath.operator_grant.v1'

/** One line of `.premath/memory/grants.jsonl`. */
export const OperatorGrantRecord = artifact(
  kind,
  'What an override let through, who asked and why.',
  openRecord({
    action: NonEmpty,
    at: Timestamp,
    grantKind: literal(kind),
    mode: word(['open', 'operator', 'human-override']),
    operator: NonEmpty,
    reason: NonEmpty,
    schema: literal(1),
    surface: NonEmpty,
  }),
)
export type OperatorGrantRecord = ValueOf<typeof OperatorGrantRecord>
