import { NonEmpty, Timestamp } from '../primitives.ts'
import {
  about,
  artifact,
  count,
  flag,
  list,
  literal,
  nullable,
  openRecord,
  record,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'
import { GateWitnessRef } from './gate-witness.ts'

const witnessKind = 'ci.required.v1'
const runtimeKind = 'premath.required.runtime.v1'

const RequiredResult = record({
  checkId: NonEmpty,
  status: word(['passed', 'failed']),
  exitCode: whole,
  durationMs: count,
})
export type RequiredResult = ValueOf<typeof RequiredResult>

const projected = {
  projectionPolicy: NonEmpty,
  projectionDigest: NonEmpty,
  changedPaths: list(NonEmpty),
  requiredChecks: list(NonEmpty),
}

const run = {
  squeakSiteProfile: NonEmpty,
  runStartedAt: Timestamp,
  runFinishedAt: Timestamp,
  runDurationMs: count,
}

const origin = {
  docsOnly: flag,
  reasons: list(NonEmpty),
  deltaSource: NonEmpty,
  fromRef: nullable(NonEmpty),
  toRef: nullable(NonEmpty),
  normalizerId: NonEmpty,
  policyDigest: about(NonEmpty, 'Equal to projectionPolicy.'),
}

/** The input of `premath required-witness`. */
export const RequiredRuntime = artifact(
  runtimeKind,
  'When required checks ran, and how each one ended.',
  openRecord({
    ...projected,
    results: list(openRecord(RequiredResult.members)),
    gateWitnessRefs: list(openRecord(GateWitnessRef.members)),
    ...origin,
    ...run,
  }),
)
export type RequiredRuntime = ValueOf<typeof RequiredRuntime>

/** `artifacts/ciwitness/latest-required.json` and `<projection>.json`. */
export const RequiredWitness = artifact(
  witnessKind,
  'Which checks a change required, how each one ended, and the verdict.',
  record({
    ciSchema: literal(1),
    witnessKind: literal(witnessKind),
    ...projected,
    executedChecks: list(NonEmpty),
    results: list(RequiredResult),
    gateWitnessRefs: list(GateWitnessRef),
    verdictClass: word(['accepted', 'rejected']),
    operationalFailureClasses: list(NonEmpty),
    semanticFailureClasses: list(NonEmpty),
    failureClasses: list(NonEmpty),
    ...origin,
    typedCoreProjectionDigest: NonEmpty,
    authorityPayloadDigest: NonEmpty,
    ...run,
  }),
)
export type RequiredWitness = ValueOf<typeof RequiredWitness>
