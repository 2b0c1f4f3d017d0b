import { NonEmpty, Timestamp } from '../primitives.ts'
import { flag, list, nullable, record, type ValueOf, word } from '../shape.ts'
import { StepCommand } from './step-row.ts'

/** `scope.json` in the folder of a start: what it verified before work. */
export const ScopeWitness = record({
  workerId: NonEmpty,
  at: Timestamp,
  issueId: nullable(NonEmpty),
  how: word(['startup', 'verify', 'specs', 'none']),
  passed: flag,
  specs: list(NonEmpty),
  errors: list(NonEmpty),
  command: nullable(StepCommand),
})
export type ScopeWitness = ValueOf<typeof ScopeWitness>
