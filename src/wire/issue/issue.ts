import { NonEmpty, Timestamp } from '../primitives.ts'
import { any, artifact, flag, list, openRecord, optional, text, whole, word } from '../shape.ts'
import { dependencyTypes } from './dependency-type.ts'

const DependencyRow = openRecord({
  issue_id: text,
  depends_on_id: text,
  type: word(dependencyTypes),
  created_by: optional(text),
})

const LeaseRow = openRecord({
  lease_id: text,
  owner: text,
  acquired_at: Timestamp,
  expires_at: Timestamp,
  renewed_at: optional(Timestamp),
})

/** One line of `.premath/issues.jsonl`. Members it does not name are kept. */
export const IssueRow = artifact(
  'premath.issue.v1',
  'A work item, as issue memory keeps it.',
  openRecord({
    id: NonEmpty,
    title: text,
    description: optional(text),
    design: optional(text),
    acceptance_criteria: optional(text),
    notes: optional(text),
    status: optional(text, 'open, in_progress, blocked, closed, or another word.'),
    priority: optional(whole, 'Smaller is offered first; 2 when absent.'),
    issue_type: optional(text, 'task or epic; task when absent.'),
    assignee: optional(text),
    owner: optional(text),
    lease: optional(LeaseRow),
    created_at: optional(Timestamp),
    updated_at: optional(Timestamp),
    closed_at: optional(Timestamp),
    ephemeral: optional(flag),
    mol_type: optional(text),
    labels: optional(list(text)),
    dependencies: optional(list(DependencyRow)),
    metadata: optional(any, 'premathFence is the number of the last acquisition.'),
  }),
)
