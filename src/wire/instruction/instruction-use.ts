import { NonEmpty, Timestamp } from '../primitives.ts'
import { about, count, optional, record, type ValueOf } from '../shape.ts'

/** One line of `.premath/memory/uses/<instruction or turn>.jsonl`: an entry that was used. */
export const InstructionUse = record({
  entry: about(count, 'The place of the entry in the scope, from 0.'),
  action: NonEmpty,
  issueId: NonEmpty,
  turn: optional(NonEmpty, 'The verdict on the turn that vouched for the change.'),
  at: Timestamp,
})
export type InstructionUse = ValueOf<typeof InstructionUse>
