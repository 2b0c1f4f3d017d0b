/** The answers of the commands that work on the files of issue memory. */
import { IssueRow } from '../issue/issue.ts'
import {
  about,
  any,
  count,
  digest,
  flag,
  list,
  literal,
  nullable,
  optional,
  record,
  text,
  word,
} from '../shape.ts'
import { memoryAnswer, SnapshotRef } from './issue-parts.ts'

export const CompactAnswer = memoryAnswer('issue.compact', {
  issueCount: count,
  bytesBefore: count,
  bytesAfter: count,
})

export const ExportAnswer = memoryAnswer('issue.export', {
  issueCount: count,
  snapshotRef: SnapshotRef,
  issues: optional(list(IssueRow), 'The rows, without --output.'),
  format: optional(word(['jsonl', 'json', 'csv'])),
  outputPath: optional(text),
})

export const ImportAnswer = memoryAnswer('issue.import', {
  source: text,
  dryRun: flag,
  added: list(text),
  replaced: list(text),
  kept: list(text),
  notClosed: about(list(text), 'Closed in the file, and still open here.'),
})

const eventMembers = {
  eventsPath: text,
  eventStreamRef: digest('ev1_'),
  eventCount: count,
  issueCount: count,
  snapshotRef: SnapshotRef,
} as const

export const MigrateEventsAnswer = memoryAnswer('issue.migrate-events', {
  ...eventMembers,
  equivalent: literal(true),
  previousEventsPath: nullable(text, 'The log that was replaced, if it knew more.'),
})

export const ReplayEventsAnswer = memoryAnswer('issue.replay-events', {
  ...eventMembers,
  cacheHit: flag,
  cachePath: text,
  equivalentToExisting: nullable(flag, 'null if there were no rows.'),
  goneCount: optional(count),
  goneIssueIds: optional(list(text), 'Issues that the log does not have.'),
  olderCount: optional(count),
  olderIssueIds: optional(list(text), 'Issues of which the log has an earlier version.'),
  previousIssuesPath: optional(text, 'The rows that were replaced.'),
})

export const BackendStatusAnswer = memoryAnswer('issue.backend-status', {
  repoRoot: text,
  canonicalMemory: record({
    kind: text,
    path: text,
    exists: flag,
    snapshotRef: nullable(SnapshotRef),
    error: nullable(text),
  }),
  queryProjection: record({
    kind: literal('premath.surreal.issue_projection.v0'),
    path: text,
    exists: flag,
    state: word(['missing', 'invalid', 'stale', 'fresh', 'unknown']),
    error: nullable(text),
    schema: about(any, 'As the copy says.'),
    projectionKind: about(any, 'As the copy says.'),
    sourceIssuesPath: nullable(text),
    sourceSnapshotRef: nullable(text),
    sourcePathMatchesAuthority: nullable(flag),
    snapshotRefMatchesAuthority: nullable(flag),
    snapshotRefMatchesProjection: nullable(flag),
  }),
  jj: record({
    state: word(['ready', 'error', 'unavailable']),
    available: flag,
    repoRoot: nullable(text),
    headChangeId: nullable(text, 'Always null: only jj knows it.'),
    error: nullable(text),
  }),
})
