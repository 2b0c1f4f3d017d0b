import { Digest, NonEmpty } from '../primitives.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import { list, nullable, optional, record, type ValueOf } from '../shape.ts'
import { ObservabilityMode } from './payload.ts'
import { StepUnderWay } from './step-journal.ts'
import { StepCommand, StepEvidence } from './step-row.ts'

const { schema: _, journalKind: __, outcome: ___, ...step } = StepUnderWay.members

/** `record.json` in the folder of a step, which the step's own turn refers to. */
export const StepRecord = record({
  ...step,
  commands: list(StepCommand),
  verification: nullable(NonEmpty, 'How the verification ended, for people.'),
  evidence: optional(StepEvidence, 'The turns that the work left.'),
  turnDigests: optional(list(Digest), 'The verdict on each turn, in order.'),
  observabilityMode: optional(ObservabilityMode, 'Set if the payloads are not kept.'),
  sandbox: optional(SandboxMode, 'The sandbox of the commands.'),
})
export type StepRecord = ValueOf<typeof StepRecord>
