/** The answer of `premath ci-required`: its plan, or how the checks ended. */
import { RequiredDecision } from '../required/decision.ts'
import { RequiredDelta } from '../required/delta.ts'
import { RequiredProjection } from '../required/projection.ts'
import { RequiredWitness } from '../required/required-witness.ts'
import { list, literal, optional, record, text, union, word } from '../shape.ts'

const action = literal('ci-required')

export const CiRequiredAnswer = union([
  record({ action, delta: RequiredDelta, projection: RequiredProjection }),
  record({
    action,
    failureClasses: list(text),
    result: word(['accepted', 'rejected']),
    witness: RequiredWitness,
    witnessPath: text,
    decision: optional(RequiredDecision),
    decisionPath: optional(text),
    decisionErrors: optional(list(text)),
  }),
])
