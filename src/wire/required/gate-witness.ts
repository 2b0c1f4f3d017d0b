import { NonEmpty } from '../primitives.ts'
import {
  about,
  any,
  artifact,
  list,
  literal,
  matching,
  openRecord,
  optional,
  record,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'

export const gateResults = ['accepted', 'rejected'] as const
export const gateSources = ['native', 'fallback'] as const

const GateFailure = openRecord({
  witnessId: NonEmpty,
  class: NonEmpty,
  lawRef: NonEmpty,
  message: NonEmpty,
  context: optional(any),
  tokenPath: optional(any),
  details: optional(any),
})

/** `artifacts/ciwitness/gates/<projection>/<place>-<check>.json`. */
export const GateWitness = artifact(
  'premath.gate_witness.v1',
  'How one required check ended. A check may write its own.',
  openRecord({
    witnessSchema: whole,
    witnessKind: literal('gate'),
    runId: NonEmpty,
    worldId: NonEmpty,
    contextId: NonEmpty,
    intentId: NonEmpty,
    adapterId: NonEmpty,
    adapterVersion: NonEmpty,
    ctxRef: NonEmpty,
    dataHeadRef: NonEmpty,
    normalizerId: NonEmpty,
    policyDigest: NonEmpty,
    result: word(gateResults),
    failures: list(GateFailure),
  }),
)
export type GateWitness = ValueOf<typeof GateWitness>

export const GateWitnessRef = record({
  checkId: NonEmpty,
  artifactRelPath: about(NonEmpty, 'From the folder of the witnesses.'),
  sha256: about(matching('^[0-9a-f]{64}$'), 'Of the canonical document.'),
  source: about(word(gateSources), 'native if the check wrote it.'),
  runId: optional(NonEmpty),
  witnessKind: optional(NonEmpty),
  result: optional(NonEmpty),
  failureClasses: list(NonEmpty),
})
export type GateWitnessRef = ValueOf<typeof GateWitnessRef>

/** The answer of `premath required-gate-ref`. */
export const GateRefAnswer = record({
  gateWitnessRef: GateWitnessRef,
  gatePayload: optional(GateWitness),
})

/** What is known of a check that wrote no witness itself. */
export const GateFallback = record({
  exitCode: whole,
  projectionDigest: NonEmpty,
  policyDigest: NonEmpty,
  ctxRef: NonEmpty,
  dataHeadRef: NonEmpty,
})
export type GateFallback = ValueOf<typeof GateFallback>
