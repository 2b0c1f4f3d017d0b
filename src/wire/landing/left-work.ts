import { NonEmpty } from '../primitives.ts'
import { about, list, nullable, record, type ValueOf } from '../shape.ts'

/** `.premath/steps/left-<worktree>.json`: what the last work found and left in a worktree. */
export const LeftWork = record({
  head: about(nullable(NonEmpty), 'The commit that the states differ from; null before the first.'),
  kept: about(list(NonEmpty), 'What was uncommitted before the work: mode, blob and path.'),
  left: about(
    nullable(list(NonEmpty)),
    'What was uncommitted after it; null while it runs, and if it was killed.',
  ),
  headAfter: about(nullable(NonEmpty), 'The commit that was checked out after the work.'),
})
export type LeftWork = ValueOf<typeof LeftWork>
