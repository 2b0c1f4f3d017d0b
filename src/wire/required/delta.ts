import { NonEmpty } from '../primitives.ts'
import { about, artifact, list, literal, nullable, record, type ValueOf } from '../shape.ts'
import { ProjectionDigest } from './projection.ts'

const deltaKind = 'ci.required.delta.v1'
const snapshotKind = 'ci.delta.v1'

/** The answer of `premath required-delta`. */
export const RequiredDelta = artifact(
  deltaKind,
  'The paths that changed since a commit, and how they were found.',
  record({
    schema: literal(1),
    deltaKind: literal(deltaKind),
    changedPaths: list(NonEmpty),
    source: about(NonEmpty, 'git_diff, none or explicit; +workspace if files are uncommitted.'),
    fromRef: nullable(NonEmpty),
    toRef: NonEmpty,
  }),
)
export type RequiredDelta = ValueOf<typeof RequiredDelta>

/** `artifacts/ciwitness/latest-delta.json`. */
export const DeltaSnapshot = artifact(
  snapshotKind,
  'The change that the required checks of the latest run are about.',
  record({
    schema: literal(1),
    deltaKind: literal(snapshotKind),
    projectionPolicy: NonEmpty,
    projectionDigest: ProjectionDigest,
    typedCoreProjectionDigest: NonEmpty,
    authorityPayloadDigest: NonEmpty,
    normalizerId: NonEmpty,
    policyDigest: NonEmpty,
    requiredChecks: list(NonEmpty),
    changedPaths: list(NonEmpty),
    deltaSource: NonEmpty,
    fromRef: nullable(NonEmpty),
    toRef: nullable(NonEmpty),
  }),
)
export type DeltaSnapshot = ValueOf<typeof DeltaSnapshot>
