import { NonEmpty } from '../primitives.ts'
import { about, flag, list, openRecord, optional, record, type ValueOf, whole } from '../shape.ts'

/** The processes of a command, which a start after a crash ends. */
export const GroupNote = record({ id: whole, startedAt: NonEmpty, mark: NonEmpty })

/** `premath/landing.json` in git's folder: the landing that is under way, for a start after a crash. */
export const LandingNote = openRecord({
  target: about(NonEmpty, 'The branch that moves.'),
  base: NonEmpty,
  commit: NonEmpty,
  isFromDisk: optional(flag),
  holders: about(
    list(
      record({
        path: NonEmpty,
        gitFolder: NonEmpty,
        kept: optional(list(NonEmpty), 'Paths of which only the index follows.'),
      }),
    ),
    'The worktrees that have the branch checked out.',
  ),
  group: optional(GroupNote, 'The processes of git.'),
})
export type LandingNote = ValueOf<typeof LandingNote>
