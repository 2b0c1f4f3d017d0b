/** The answers of the commands that set up and maintain a project. */
import { Digest, Timestamp } from '../primitives.ts'
import {
  about,
  any,
  count,
  flag,
  list,
  literal,
  map,
  nullable,
  openRecord,
  optional,
  record,
  text,
  union,
  word,
} from '../shape.ts'
import { SnapshotRef } from './issue-parts.ts'

export const InitAnswer = record({
  action: literal('init'),
  repoRoot: text,
  premathDir: text,
  issuesPath: text,
  policyPath: text,
  configPath: text,
  ids: word(['counted', 'hash']),
  migratedFromLegacy: nullable(text, 'The issues of an earlier tool that were imported.'),
  created: record({
    repoRoot: flag,
    premathDir: flag,
    issuesFile: flag,
    policyFile: flag,
    configFile: flag,
    ignoreFile: flag,
    attributesFile: flag,
    gitAttributes: optional(flag),
    gitConfig: optional(flag),
  }),
})

const Removable = record({
  kind: word(['file', 'folder', 'lines', 'settings', 'worktree', 'branch', 'ref']),
  name: text,
  holds: text,
  commit: optional(text),
})

export const UninitAnswer = record({
  action: literal('uninit'),
  root: text,
  all: flag,
  isRemoved: flag,
  removed: optional(list(Removable)),
  removes: optional(list(Removable), 'What it would remove, if nobody confirmed it.'),
  stays: list(record({ name: text, why: text })),
})

export const CleanAnswer = record({
  action: literal('clean'),
  days: count,
  isRemoved: flag,
  count,
  items: list(
    record({
      kind: word(['output', 'attempt']),
      name: text,
      changedAt: Timestamp,
    }),
  ),
})

export const DoctorAnswer = record({
  action: literal('doctor'),
  repoRoot: text,
  issuesPath: text,
  result: word(['accepted', 'rejected']),
  findings: list(
    record({
      check: text,
      what: text,
      why: text,
      next: about(text, 'The next step for a person.'),
      exitCode: count,
      fixed: flag,
    }),
  ),
  summary: record({
    checked: list(text),
    attentionCount: count,
    fixedCount: count,
    looked: about(
      map(record({ looked: count, of: count })),
      'Checks that looked at a part only, by name.',
    ),
  }),
})

const merged = {
  action: literal('merge-driver'),
  path: text,
  result: literal('merged'),
} as const

/** Of rows, or of an event log. */
export const MergeDriverAnswer = union([
  record({
    ...merged,
    issueCount: count,
    snapshotRef: SnapshotRef,
    conflicts: list(
      record({
        issueId: text,
        field: text,
        value: about(any, 'The value that was not taken.'),
      }),
    ),
    renamed: list(record({ from: text, to: text, title: text })),
    cyclePath: nullable(list(text), 'A cycle that the merge made.'),
  }),
  record({ ...merged, eventCount: count }),
])

export const PrimeAnswer = record({
  action: literal('prime'),
  issueId: nullable(text),
  mutationMode: text,
  mutationPolicyDigest: Digest,
  text,
  tokensAtMost: count,
  tokensMax: count,
})

/** The list of all, or the schema of one. */
export const SchemaAnswer = union([
  record({ kinds: list(record({ kind: text, title: text })) }),
  openRecord({}),
])

export const McpServeAnswer = record({
  action: literal('mcp.serve'),
  result: literal('ended'),
})
