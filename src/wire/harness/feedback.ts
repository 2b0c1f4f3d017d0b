import { NonEmpty } from '../primitives.ts'
import { phases } from '../run/run-event.ts'
import {
  about,
  count,
  flag,
  list,
  nullable,
  optional,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const FailedCommand = record({
  phase: word(phases),
  command: NonEmpty,
  exitCode: nullable(count, 'null if a signal ended it or it never ran.'),
  signal: optional(NonEmpty),
  timedOut: flag,
})
export type FailedCommand = ValueOf<typeof FailedCommand>

const Conflict = record({
  path: NonEmpty,
  work: about(list(text), 'Subjects of the commits of the issue that changed the file.'),
  target: about(list(text), 'Subjects of the commits on the target branch that changed it.'),
})
export type Conflict = ValueOf<typeof Conflict>

/**
 * `failure.json` in the folder of a failed step. It has the text of a command, which may contain a
 * secret, so it is kept out of the trajectory.
 */
export const StepFailure = record({
  command: nullable(FailedCommand, 'The failed command; null if none failed.'),
  lines: about(list(text, { most: 200 }), 'The last lines of its stdout, then of its stderr.'),
  output: about(list(NonEmpty), 'Files with the whole output, relative to the project root.'),
  findings: about(list(text), 'Why the gate rejected the turn.'),
  conflicts: optional(list(Conflict), 'Files that conflict with the target branch.'),
  notes: optional(
    list(text, { most: 100 }),
    'What was left out of the work, and requests that were refused or dropped.',
  ),
})
export type StepFailure = ValueOf<typeof StepFailure>

/** The last failed attempt on an issue, for the next one. */
export const Feedback = record({
  stepId: NonEmpty,
  failureClasses: list(NonEmpty),
  summary: nullable(text),
  ...StepFailure.members,
})
export type Feedback = ValueOf<typeof Feedback>
