import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  digest,
  list,
  literal,
  nullable,
  openRecord,
  text,
  type ValueOf,
} from '../shape.ts'

const kind = 'premath.host_effect.v0'

/** The row of the trajectory that an effect left. */
export const EffectRow = openRecord({
  path: NonEmpty,
  stepId: NonEmpty,
  resultClass: NonEmpty,
  finishedAt: Timestamp,
})

/** What one call of a host function did. */
export const HostEffect = artifact(
  kind,
  'One call of a host function by a program, and its result.',
  openRecord({
    schema: literal(kind),
    callId: NonEmpty,
    action: text,
    argsDigest: about(digest('he1_'), 'Of the canonical JSON of the arguments.'),
    resultClass: about(NonEmpty, 'accepted, or the first failure class.'),
    payload: about(any, 'The answer of the operation, as --json prints it.'),
    failureClasses: list(NonEmpty),
    witnessRefs: list(NonEmpty),
    policyDigest: nullable(NonEmpty, 'Of the policy in force, for a call that changes something.'),
    instructionRef: nullable(
      NonEmpty,
      'The accepted instruction, for a call that changes something.',
    ),
    trajectoryRow: nullable(EffectRow, 'null in the work of a step and in a replay.'),
  }),
)
export type HostEffect = ValueOf<typeof HostEffect>
