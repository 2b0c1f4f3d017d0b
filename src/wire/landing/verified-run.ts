import { NonEmpty, Timestamp } from '../primitives.ts'
import { about, record, type ValueOf } from '../shape.ts'

/** One line of `premath/verified.jsonl` in git's folder: a verification that passed. */
export const VerifiedRun = record({
  key: about(NonEmpty, 'The digest of everything that the result depends on.'),
  at: Timestamp,
  stepId: NonEmpty,
  commit: NonEmpty,
  commandDigest: NonEmpty,
  outputDigest: NonEmpty,
})
export type VerifiedRun = ValueOf<typeof VerifiedRun>
