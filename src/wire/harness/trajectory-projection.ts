import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  list,
  literal,
  optional,
  positive,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'
import { StepRow } from './step-row.ts'
import { trajectoryReport } from './trajectory-report.ts'

const kind = 'premath.harness.trajectory.projection.v1'

export const FailureCluster = record({
  resultClass: NonEmpty,
  count: positive,
  issueCount: count,
  issueIds: about(list(NonEmpty), 'The first of them, by id.'),
  lastAt: text,
  lastStepId: NonEmpty,
})
export type FailureCluster = ValueOf<typeof FailureCluster>

/** What `premath harness-trajectory query` answers. */
export const TrajectoryProjection = artifact(
  kind,
  'Steps of the trajectory, chosen and counted.',
  record({
    action: literal('harness-trajectory.query'),
    projectionKind: literal(kind),
    path: text,
    mode: word(['latest', 'failed', 'retry_needed']),
    issueId: optional(NonEmpty),
    since: optional(Timestamp),
    count: count,
    totalCount: about(count, 'Of all rows, whatever the mode and the limit; so the next two.'),
    failedCount: count,
    retryNeededCount: count,
    items: about(list(StepRow), 'The newest first, then by step and action.'),
    clusterCount: optional(count),
    clusters: optional(list(FailureCluster), 'The most frequent first.'),
    ...trajectoryReport,
  }),
)
