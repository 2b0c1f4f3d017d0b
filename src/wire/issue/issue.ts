import { z } from 'zod'
import { NonEmpty, Timestamp } from '../primitives.ts'
import { dependencyTypes } from './dependency-type.ts'

export const DependencyRow = z.looseObject({
  issue_id: z.string(),
  depends_on_id: z.string(),
  type: z.enum(dependencyTypes),
  created_by: z.string().optional(),
})

export const LeaseRow = z.looseObject({
  lease_id: z.string(),
  owner: z.string(),
  acquired_at: Timestamp,
  expires_at: Timestamp,
  renewed_at: Timestamp.optional(),
})

/** One line of `.premath/issues.jsonl`. Members it does not name are kept. */
export const IssueRow = z
  .looseObject({
    id: NonEmpty,
    title: z.string(),
    description: z.string().optional(),
    design: z.string().optional(),
    acceptance_criteria: z.string().optional(),
    notes: z.string().optional(),
    status: z.string().optional().describe('open, in_progress, blocked, closed, or another word.'),
    priority: z.int().optional().describe('Smaller is offered first; 2 when absent.'),
    issue_type: z.string().optional().describe('task or epic; task when absent.'),
    assignee: z.string().optional(),
    owner: z.string().optional(),
    lease: LeaseRow.optional(),
    created_at: Timestamp.optional(),
    updated_at: Timestamp.optional(),
    closed_at: Timestamp.optional(),
    ephemeral: z.boolean().optional(),
    mol_type: z.string().optional(),
    labels: z.array(z.string()).optional(),
    dependencies: z.array(DependencyRow).optional(),
    metadata: z
      .unknown()
      .optional()
      .describe('premathFence is the number of the last acquisition.'),
  })
  .meta({ title: 'premath.issue.v1', description: 'A work item, as issue memory keeps it.' })
