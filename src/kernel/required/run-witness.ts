/** The witness of a run of required checks, for the commands and the steps that run them. */
import type { RequiredDelta } from '../../wire/required/delta.ts'
import type { GateFallback, GateWitnessRef } from '../../wire/required/gate-witness.ts'
import type { RequiredProjection } from '../../wire/required/projection.ts'
import type { RequiredResult, RequiredWitness } from '../../wire/required/required-witness.ts'
import type { Sha256 } from '../canonical.ts'
import { secondOf } from '../harness/artifact.ts'
import type { JsonObject } from '../json.ts'
import { fallbackWitness, gateDocument } from './gate-witness.ts'
import { witnessRequired } from './required-witness.ts'

/** The change, and the checks that it requires. */
export interface RequiredChange {
  readonly projection: RequiredProjection
  readonly delta: Pick<RequiredDelta, 'source' | 'fromRef' | 'toRef'>
}

interface EndedRun extends RequiredChange {
  readonly results: readonly RequiredResult[]
  readonly gateWitnessRefs: readonly GateWitnessRef[]
  readonly normalizerId: string
  readonly span: { readonly startedAt: bigint; readonly endedAt: bigint; readonly ms: number }
}

export function witnessOfRun(
  { projection, delta, results, gateWitnessRefs, normalizerId, span }: EndedRun,
  sha256: Sha256,
): RequiredWitness {
  const { projectionPolicy, projectionDigest, changedPaths, requiredChecks } = projection
  return witnessRequired(
    {
      projectionPolicy,
      projectionDigest,
      changedPaths,
      requiredChecks,
      results,
      gateWitnessRefs,
      docsOnly: projection.docsOnly,
      reasons: projection.reasons,
      deltaSource: delta.source,
      fromRef: delta.fromRef,
      toRef: delta.toRef,
      normalizerId,
      policyDigest: projectionPolicy,
      squeakSiteProfile: 'local',
      runStartedAt: secondOf(span.startedAt),
      runFinishedAt: secondOf(span.endedAt),
      runDurationMs: Math.floor(span.ms),
    },
    sha256,
  )
}

/** The gate witness of a check that wrote none itself. */
export function fallbackGate(
  { checkId, exitCode }: Pick<RequiredResult, 'checkId' | 'exitCode'>,
  { projection, delta }: RequiredChange,
  sha256: Sha256,
): JsonObject {
  const fallback: GateFallback = {
    exitCode,
    projectionDigest: projection.projectionDigest,
    policyDigest: projection.projectionPolicy,
    ctxRef: ctxRefOf(delta),
    dataHeadRef: delta.toRef,
  }
  return gateDocument(fallbackWitness(checkId, fallback, sha256))
}

export const ctxRefOf = ({ fromRef }: RequiredChange['delta']): string => fromRef ?? 'ctx:unknown'

/** Below the folder of the witness. */
export const gateFolder = ({ projectionDigest }: RequiredProjection): string =>
  `gates/${projectionDigest}`

/** The name of a gate witness without its ending, by the place of its check in the run. */
export const gateName = (place: number, checkId: string): string =>
  `${String(place + 1).padStart(2, '0')}-${checkId}`
