import { z } from 'zod'
import { NonEmpty } from '../primitives.ts'
import { StepRow } from './step-row.ts'
import { trajectoryReport } from './trajectory-report.ts'

const kind = 'premath.harness.trajectory.projection.v1'

const Count = z.int().nonnegative()

const Cluster = z.strictObject({
  resultClass: NonEmpty,
  count: z.int().positive(),
  issueCount: Count,
  issueIds: z.array(NonEmpty).describe('The first of them, by id.'),
  lastAt: z.string(),
  lastStepId: NonEmpty,
})

/** What `premath harness-trajectory query` answers. */
export const TrajectoryProjection = z
  .strictObject({
    action: z.literal('harness-trajectory.query'),
    projectionKind: z.literal(kind),
    path: z.string(),
    mode: z.enum(['latest', 'failed', 'retry_needed']),
    issueId: NonEmpty.optional(),
    since: z.iso.datetime({ offset: true }).optional(),
    count: Count,
    totalCount: Count.describe('Of all rows, whatever the mode and the limit; so the next two.'),
    failedCount: Count,
    retryNeededCount: Count,
    items: z.array(StepRow).describe('The newest first, then by step and action.'),
    clusterCount: Count.optional(),
    clusters: z.array(Cluster).optional().describe('The most frequent first.'),
    ...trajectoryReport,
  })
  .meta({ title: kind, description: 'Steps of the trajectory, chosen and counted.' })
