import { NonEmpty } from '../primitives.ts'
import { about, count, list, record, text, type ValueOf } from '../shape.ts'

/** `reread.json` in the folder of a step: a close, as the disk has it. */
export const RereadClose = record({
  issueId: NonEmpty,
  rowDigest: NonEmpty,
  status: NonEmpty,
  fence: count,
  dependencies: about(list(NonEmpty), 'Type and target of each.'),
  chain: about(text, 'The digest of the proof chain, computed again.'),
  tree: about(text, 'The tree of the commit on the target; empty if nothing landed.'),
})
export type RereadClose = ValueOf<typeof RereadClose>
