import { NonEmpty } from '../primitives.ts'
import { about, flag, list, openRecord, optional, record, type ValueOf, whole } from '../shape.ts'

/** `premath/landing.json` in git's folder: the landing that is under way, for a start after a crash. */
export const LandingNote = openRecord({
  target: about(NonEmpty, 'The branch that moves.'),
  base: NonEmpty,
  commit: NonEmpty,
  isFromDisk: optional(flag),
  holders: about(
    list(record({ path: NonEmpty, gitFolder: NonEmpty })),
    'The worktrees that have the branch checked out.',
  ),
  group: optional(
    record({ id: whole, startedAt: NonEmpty, mark: NonEmpty }),
    'The processes of git.',
  ),
})
export type LandingNote = ValueOf<typeof LandingNote>
