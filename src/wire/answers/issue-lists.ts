/** The answers of the commands that list issues. */
import { Timestamp } from '../primitives.ts'
import { about, count, flag, list, literal, optional, record, text } from '../shape.ts'
import {
  Blocker,
  briefMembers,
  counts,
  Holder,
  issueMembers,
  leaseMembers,
  leaseState,
  memoryAnswer,
} from './issue-parts.ts'

export const ReadyAnswer = memoryAnswer('issue.ready', {
  ...counts,
  items: list(
    record({
      ...issueMembers,
      reclaim: optional(literal(true), 'Its lease has expired, so that it is offered again.'),
      previousHolder: optional(Holder),
    }),
  ),
})

const { owner: _owner, ...listedMembers } = briefMembers

export const ListAnswer = memoryAnswer('issue.list', {
  ...counts,
  items: list(
    record({ ...listedMembers, forced: optional(literal(true), 'Closed without proof.') }),
  ),
})

export const BlockedAnswer = memoryAnswer('issue.blocked', {
  ...counts,
  items: list(
    record({
      ...issueMembers,
      manualBlocked: about(flag, 'Its status is blocked.'),
      blockers: list(Blocker),
    }),
  ),
})

export const LeaseProjectionAnswer = memoryAnswer('issue.lease_projection', {
  count,
  items: list(
    record({
      id: text,
      status: text,
      assignee: text,
      contended: flag,
      lease: record({ ...leaseMembers, state: leaseState }),
    }),
  ),
  projection: record({
    checkedAt: Timestamp,
    contendedCount: count,
    contendedIssueIds: list(text),
    staleCount: count,
    staleIssueIds: list(text),
  }),
})
