/** Parts that the answers about issues share. */
import { dependencyTypes, priority } from '../issue/issue.ts'
import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  count,
  digest,
  flag,
  list,
  literal,
  type Members,
  nullable,
  optional,
  record,
  text,
  word,
} from '../shape.ts'

/** The answer of a question to issue memory. */
export const memoryAnswer = <const Action extends string, const M extends Members>(
  action: Action,
  members: M,
) =>
  record({
    action: literal(action),
    issuesPath: about(text, 'The file of the rows.'),
    ...members,
  })

/** A list that `--limit` may shorten. */
export const counts = {
  count: about(count, 'How many are listed.'),
  total: optional(count, 'How many there are, with --limit.'),
} as const

export const issueMembers = {
  id: NonEmpty,
  title: text,
  status: text,
  priority,
} as const

export const briefMembers = {
  ...issueMembers,
  issueType: text,
  assignee: text,
  owner: text,
} as const

/** An issue in brief. */
export const IssueBrief = record(briefMembers)

export const textMembers = {
  description: text,
  acceptanceCriteria: text,
  specs: list(text),
} as const

/** A lease that has expired has no fence to offer. */
export const Holder = record({
  leaseId: text,
  owner: text,
  acquiredAt: Timestamp,
  expiresAt: Timestamp,
  renewedAt: nullable(Timestamp),
})

export const leaseMembers = {
  ...Holder.members,
  fence: about(count, 'The number of the acquisition, which changes under the lease carry.'),
} as const

export const leaseState = word(['active', 'stale'])

export const dependencyType = word(dependencyTypes)

export const edgeMembers = { issueId: text, dependsOnId: text } as const

/** An open issue that another one waits for. */
export const Blocker = record({
  ...edgeMembers,
  type: dependencyType,
  createdBy: text,
  blockerStatus: nullable(text),
  blockerMissing: flag,
})

export const SnapshotRef = digest('iss1_')
