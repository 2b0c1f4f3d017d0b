import { NonEmpty } from '../primitives.ts'
import { list, nullable, record, type ValueOf } from '../shape.ts'
import { StepUnderWay } from './step-journal.ts'
import { StepCommand } from './step-row.ts'

const { schema: _, journalKind: __, outcome: ___, ...step } = StepUnderWay.members

/** `record.json` in the folder of a step, which the step's own turn refers to. */
export const StepRecord = record({
  ...step,
  commands: list(StepCommand),
  verification: nullable(NonEmpty, 'How the verification ended, for people.'),
})
export type StepRecord = ValueOf<typeof StepRecord>
