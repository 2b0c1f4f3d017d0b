import { CallOrigin } from '../issue/call-origin.ts'
import { GitId, NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  list,
  literal,
  optional,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const kind = 'premath.close_request.v1'

const closeProgress = {
  state: about(
    word(['queued', 'verifying', 'closed', 'in_review', 'failed']),
    'in_review: verified on its branch, and the issue closes when the target has the work.',
  ),
  fence: about(count, 'The claim under which it was asked for.'),
  queuedAt: Timestamp,
  startedAt: optional(Timestamp, 'The begin of the verification.'),
  endedAt: optional(Timestamp),
  failureClasses: optional(list(NonEmpty), 'Why it failed.'),
  diagnostic: optional(text),
  remedy: optional(text),
  lastLines: optional(list(text), 'The end of the output of the verification that failed.'),
} as const

/** How far a queued close is, for readers. */
export const CloseProgress = record({
  ...closeProgress,
  queuedAt: optional(Timestamp, 'Absent if the close was not queued, or its file cannot be read.'),
})
export type CloseProgress = ValueOf<typeof CloseProgress>

/** `.premath/closes/<issue>.<fence>.json`. It gives no right: the door judges it again. */
export const CloseRequest = artifact(
  kind,
  'A close that an agent asked for, and how far it is.',
  record({
    schema: literal(1),
    requestKind: literal(kind),
    issueId: NonEmpty,
    issuesPath: about(NonEmpty, 'The file of issue memory.'),
    leaseId: NonEmpty,
    instructionId: optional(NonEmpty, 'The instruction under which the agent asked.'),
    joinWitness: optional(NonEmpty, 'The witness of the turn, from the root of the project.'),
    origin: optional(CallOrigin),
    folder: about(NonEmpty, 'The folder that has the work.'),
    commit: optional(GitId, 'The work as it was when the close was asked for; absent without git.'),
    ...closeProgress,
  }),
)
export type CloseRequest = ValueOf<typeof CloseRequest>
