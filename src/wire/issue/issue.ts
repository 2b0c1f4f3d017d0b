import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  flag,
  list,
  openRecord,
  optional,
  orBlank,
  orElse,
  orNone,
  text,
  union,
  untouched,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'

/** How one issue may depend on another. */
export const dependencyTypes = [
  'blocks',
  'parent-child',
  'conditional-blocks',
  'related',
  'discovered-from',
  'relates-to',
  'duplicates',
  'supersedes',
  'waits-for',
  'replies-to',
] as const
export type DependencyType = (typeof dependencyTypes)[number]

const Dependency = openRecord({
  issue_id: text,
  depends_on_id: text,
  type: word(dependencyTypes),
  created_by: orBlank(text),
})
export type Dependency = ValueOf<typeof Dependency>

/** A bounded claim on one issue by one worker. */
const Lease = openRecord({
  lease_id: text,
  owner: text,
  acquired_at: Timestamp,
  expires_at: Timestamp,
  renewed_at: optional(Timestamp),
})
export type Lease = ValueOf<typeof Lease>

/** What somebody said about an issue, as beads keeps it. */
const Comment = openRecord({
  id: about(union([whole, text]), 'A whole number in rows of premath.'),
  issue_id: text,
  author: text,
  text,
  created_at: Timestamp,
})
export type Comment = ValueOf<typeof Comment>

/** The types that premath gives to issues. A row with another one still loads. */
export const issueTypes = ['task', 'epic', 'bug', 'feature', 'chore'] as const

/** 32 bits, as other tools store it. */
export const priority = { is: 'whole', least: -(2 ** 31), most: 2 ** 31 - 1 } as const

/** One line of `.premath/issues.jsonl`. Members it does not name are kept. */
export const IssueRow = artifact(
  'premath.issue.v1',
  'A work item, as issue memory keeps it.',
  openRecord({
    id: NonEmpty,
    title: text,
    description: orBlank(text),
    design: orBlank(text),
    acceptance_criteria: orBlank(text),
    notes: orBlank(text),
    status: orElse(text, 'open', 'open, in_progress, blocked, in_review, closed, or another word.'),
    priority: orElse(
      priority,
      2,
      'Smaller is offered first; 2 when absent. New values are 0 to 4.',
    ),
    issue_type: orElse(NonEmpty, 'task', 'task, epic, bug, feature, chore, or another word.'),
    assignee: orBlank(text),
    owner: orBlank(text),
    lease: optional(Lease),
    created_at: optional(Timestamp),
    updated_at: optional(Timestamp),
    closed_at: optional(Timestamp),
    ephemeral: orElse(flag, false),
    mol_type: orBlank(text),
    labels: orNone(list(text)),
    dependencies: orNone(list(Dependency)),
    metadata: optional(
      any,
      'premathFence is the number of the last acquisition. premathLanding is the commit that is landing, premathClose says how the issue was closed, premathImported that it was closed when it was imported, and premathReverted which commit took the work back.',
    ),
    comments: untouched(list(Comment), 'Oldest first.'),
  }),
)
export type IssueRow = ValueOf<typeof IssueRow>
