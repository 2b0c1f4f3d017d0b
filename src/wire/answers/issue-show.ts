/** The answer of `issue show`. */
import { Feedback } from '../harness/feedback.ts'
import { CloseProgress } from '../landing/close-request.ts'
import { Timestamp } from '../primitives.ts'
import {
  about,
  any,
  count,
  flag,
  list,
  literal,
  nullable,
  optional,
  record,
  text,
  union,
} from '../shape.ts'
import {
  Blocker,
  briefMembers,
  dependencyType,
  edgeMembers,
  leaseMembers,
  leaseState,
  memoryAnswer,
  textMembers,
} from './issue-parts.ts'

const landingMembers = { base: text, commit: text, target: text, tree: text } as const

const { command, failureClasses, output, stepId, summary } = Feedback.members

export const ShowAnswer = memoryAnswer('issue.show', {
  issue: record({
    ...briefMembers,
    ...textMembers,
    design: text,
    notes: text,
    labels: list(text),
    createdAt: nullable(Timestamp),
    updatedAt: nullable(Timestamp),
    closedAt: nullable(Timestamp),
    lease: nullable(record({ ...leaseMembers, contended: flag, state: leaseState })),
    fence: count,
    dependencies: list(record({ ...edgeMembers, type: dependencyType, createdBy: text })),
    comments: optional(
      list(
        record({
          id: union([count, text]),
          author: text,
          text,
          createdAt: nullable(text),
        }),
      ),
      'Oldest first.',
    ),
    mayChange: optional(list(text), 'Protected paths that its work may change.'),
    writesSpecs: optional(literal(true), 'Its work may change its specs.'),
    landing: optional(
      record({ ...landingMembers, reverts: optional(text, 'The commit that is taken back.') }),
      'The commit that is being put on the target branch.',
    ),
    landed: optional(record({ commit: text, tree: text, target: text })),
    reverted: optional(
      record({
        commit: about(text, 'The commit that took the work back.'),
        landed: about(text, 'The commit that had landed.'),
        target: text,
        at: text,
        reason: optional(text),
      }),
    ),
    forced: optional(record({ reason: text }), 'Closed without proof.'),
    imported: optional(literal(true), 'Closed before it was imported.'),
    ephemeral: flag,
    molType: text,
    metadata: about(any, 'Free content of the row.'),
    others: about(any, 'Members of the row that premath does not know.'),
  }),
  ready: flag,
  reclaim: about(flag, 'Its lease has expired, so that it is offered again.'),
  blockers: list(Blocker),
  dependents: list(record({ issueId: text, status: text, title: text, type: dependencyType })),
  close: optional(
    CloseProgress,
    'The close that the holder asked for with issue_close, and how far it is.',
  ),
  lastFailure: optional(
    record({ command, failureClasses, lastLines: list(text), output, stepId, summary }),
    'The last attempt, if it failed.',
  ),
})
