/** The answers of the commands that land work. */
import { CloseProgress } from '../landing/close-request.ts'
import { GitId } from '../primitives.ts'
import {
  about,
  count,
  flag,
  list,
  literal,
  nullable,
  optional,
  record,
  text,
  union,
  word,
} from '../shape.ts'
import { StepAnswer } from './harness.ts'
import { memoryAnswer } from './issue-parts.ts'

/** Work of an issue that is not on the target branch. */
export const UnlandedWork = record({
  issueId: text,
  title: text,
  status: text,
  state: word(['landing', 'reverting', 'working', 'in_review', 'waiting', 'queued']),
  branch: about(text, 'Blank for a queued close, whose commit no branch holds.'),
  commit: nullable(GitId),
  commits: count,
  isProtected: about(
    flag,
    'Its work changed files that judge it, and a person must allow that before it can land.',
  ),
})

/** The landing of one issue, or the closes that agents had queued. */
export const LandAnswer = union([
  record({ ...StepAnswer.members, action: literal('land') }),
  record({
    action: literal('land'),
    closes: about(
      list(record({ issueId: text, ...CloseProgress.members })),
      'The queued closes that ended now.',
    ),
    waiting: about(count, 'Closes that wait still, because another process works them off.'),
    items: optional(
      list(UnlandedWork),
      'Work of issues that waits, where no id was given. Land each by its id.',
    ),
  }),
])

export const LandRevertAnswer = memoryAnswer('land.revert', {
  result: literal('reverted'),
  issueId: text,
  status: text,
  target: about(text, 'The branch.'),
  commit: about(GitId, 'The commit that takes the work back.'),
  reverted: about(GitId, 'The commit that had landed.'),
  closedDependents: about(list(text), 'Closed issues that depended on it.'),
})

export const LandStatusAnswer = record({
  action: literal('land.status'),
  target: about(text, 'The branch.'),
  count,
  items: list(UnlandedWork),
})
