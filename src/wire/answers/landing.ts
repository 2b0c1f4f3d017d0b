/** The answers of the commands that land work. */
import { GitId } from '../primitives.ts'
import { about, count, list, literal, nullable, record, text, word } from '../shape.ts'
import { StepAnswer } from './harness.ts'
import { memoryAnswer } from './issue-parts.ts'

export const LandAnswer = record({ ...StepAnswer.members, action: literal('land') })

export const LandRevertAnswer = memoryAnswer('land.revert', {
  result: literal('reverted'),
  issueId: text,
  status: text,
  target: about(text, 'The branch.'),
  commit: about(GitId, 'The commit that takes the work back.'),
  reverted: about(GitId, 'The commit that had landed.'),
  closedDependents: about(list(text), 'Closed issues that depended on it.'),
})

/** Work of an issue that is not on the target branch. */
export const UnlandedWork = record({
  issueId: text,
  title: text,
  status: text,
  state: word(['landing', 'reverting', 'working', 'in_review', 'waiting']),
  branch: text,
  commit: nullable(GitId),
  commits: count,
})

export const LandStatusAnswer = record({
  action: literal('land.status'),
  target: about(text, 'The branch.'),
  count,
  items: list(UnlandedWork),
})
