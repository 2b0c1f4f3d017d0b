/** The answers of the harness commands that are no artifacts of their own. */
import { FeatureLedger } from '../harness/feature-ledger.ts'
import { BootReport, Recovered, StepReport } from '../harness/hook-reports.ts'
import { Session } from '../harness/session.ts'
import { StepRow } from '../harness/step-row.ts'
import { NonEmpty } from '../primitives.ts'
import { RunEvent } from '../run/run-event.ts'
import {
  about,
  count,
  flag,
  list,
  literal,
  type Members,
  nullable,
  record,
  text,
  union,
  word,
} from '../shape.ts'

/** The answer of a command that reads or writes one file of the harness. */
const fileAnswer = <const Action extends string, const M extends Members>(
  action: Action,
  members: M,
) => record({ action: literal(action), path: text, ...members })

export const SessionReadAnswer = fileAnswer('harness-session.read', { session: Session })
export const SessionWriteAnswer = fileAnswer('harness-session.write', { session: Session })

export const FeatureReadAnswer = fileAnswer('harness-feature.read', { ledger: FeatureLedger })
export const FeatureWriteAnswer = fileAnswer('harness-feature.write', {
  featureId: NonEmpty,
  ledger: FeatureLedger,
})
export const FeatureNextAnswer = fileAnswer('harness-feature.next', {
  exists: flag,
  nextFeatureId: nullable(NonEmpty),
  featureCount: nullable(count),
  closureComplete: nullable(flag),
})

export const TrajectoryAppendAnswer = fileAnswer('harness-trajectory.append', { row: StepRow })
export const KpiRemediateAnswer = fileAnswer('harness-kpi.remediate', { row: StepRow })

export const BootAnswer = record({ ...BootReport.members, action: literal('harness-boot') })

const { error: _error, exitCode: _exitCode, ...stepMembers } = StepReport.members

/** Without the error, which every command adds in the same way. */
export const StepAnswer = record(stepMembers)

export const StopAnswer = record({
  action: literal('harness-stop'),
  session: Session,
  sessionRef: text,
  row: StepRow,
  trajectoryRef: text,
  leaseState: text,
  recommendedAction: text,
  recovered: nullable(Recovered, 'A step that a crash had cut off.'),
  offloadedRef: nullable(text, 'The whole text of a handoff that was too long.'),
  compacted: nullable(record({ bytesBefore: count, bytesAfter: count })),
  failureClasses: list(text),
})

/** A run prints its events; a request to a run is answered once. */
export const RunAnswer = union([
  RunEvent,
  record({
    action: literal('run'),
    request: about(word(['pause', 'resume', 'drain']), 'What the run is asked to do.'),
    requestPath: text,
    result: literal('accepted'),
  }),
])
