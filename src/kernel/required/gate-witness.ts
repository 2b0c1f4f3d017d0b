/** The gate witness of a required check: as the check wrote it, or made from its exit code. */
import {
  type GateFallback,
  GateWitness,
  type GateWitnessRef,
} from '../../wire/required/gate-witness.ts'
import { documentOf } from '../artifact/print.ts'
import { byCodePoint, canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { base32Hex } from '../text/base32-hex.ts'
import { normalizerIdDefault } from './typed-core.ts'

const worldId = 'world.ci.required'
const adapterId = 'adapter.ci.runner'
const adapterVersion = '1'

/** For a check that wrote none itself. */
export function fallbackWitness(
  checkId: string,
  { exitCode, projectionDigest, policyDigest, ctxRef, dataHeadRef }: GateFallback,
  sha256: Sha256,
): GateWitness {
  const digest = (value: JsonObject) => sha256(canonicalJson(value))
  const contextId = `ctx.ci.required.${projectionDigest}`
  const intent = {
    intentKind: 'ci_required_check',
    targetScope: `check:${checkId}`,
    requestedOutcomes: ['gate_witness_envelope'],
  }
  const identity = {
    worldId,
    contextId,
    intentId: `intent1_${digest(intent)}`,
    adapterId,
    adapterVersion,
    ctxRef,
    dataHeadRef,
    normalizerId: normalizerIdDefault,
    policyDigest,
  }
  const unit = {
    unitId: `unit.ci.check.${checkId}`,
    parentUnitId: `unit.ci.projection.${projectionDigest}`,
    coverId: `cover.ci.required.${projectionDigest}`,
  }
  const failure = { checkId, exitCode, projectionDigest }
  return {
    witnessSchema: 1,
    witnessKind: 'gate',
    runId: `run1_${digest({ ...identity, ...unit })}`,
    ...identity,
    result: exitCode === 0 ? 'accepted' : 'rejected',
    failures: exitCode === 0 ? [] : [failureOf(failure, digest)],
  }
}

function failureOf(
  context: {
    readonly checkId: string
    readonly exitCode: number
    readonly projectionDigest: string
  },
  digest: (value: JsonObject) => string,
) {
  const { checkId, exitCode } = context
  const named = {
    class: 'descent_failure',
    lawRef: 'GATE-3.3',
    context,
    tokenPath: `ci/check/${checkId}`,
  }
  return {
    witnessId: `w1_${base32Hex(digest({ schema: 1, ...named }))}`,
    class: named.class,
    lawRef: named.lawRef,
    // Part of the digest, so its words are those of earlier tools.
    message: `ci required check '${checkId}' failed (exitCode=${exitCode})`,
    context,
    tokenPath: named.tokenPath,
    details: { phase: 'run_gate', responsibleComponent: 'gate_execution_plane' },
  }
}

/** Refers to a gate witness by its digest. */
export function gateWitnessRef(
  {
    checkId,
    artifactRelPath,
    source,
  }: Pick<GateWitnessRef, 'checkId' | 'artifactRelPath' | 'source'>,
  payload: JsonObject,
  sha256: Sha256,
): GateWitnessRef {
  const text = (name: string) => {
    const value = payload[name]
    return typeof value === 'string' ? { [name]: value } : {}
  }
  return {
    checkId,
    artifactRelPath,
    sha256: payloadSha256(payload, sha256),
    source,
    ...text('runId'),
    ...text('witnessKind'),
    ...text('result'),
    failureClasses: failureClassesOf(payload),
  }
}

export const payloadSha256 = (payload: JsonObject, sha256: Sha256): string =>
  sha256(canonicalJson(payload))

export const gateDocument = (witness: GateWitness): JsonObject => documentOf(GateWitness, witness)

/** The classes of all failures in a gate witness, sorted. */
export function failureClassesOf(payload: JsonObject): readonly string[] {
  const failures = payload['failures']
  const found = Array.isArray(failures) ? (failures as readonly Json[]) : []
  const classes = found.flatMap(failure => {
    const named = isJsonObject(failure) ? failure['class'] : undefined
    return typeof named === 'string' ? [named] : []
  })
  return [...new Set(classes)].sort(byCodePoint)
}

/** Why a gate witness does not fit the exit code of its check; `undefined` if it does. */
export function gateFlaw(payload: JsonObject, exitCode: number): string | undefined {
  if (payload['witnessKind'] !== 'gate') return 'witnessKind is not "gate"'
  const expected = exitCode === 0 ? 'accepted' : 'rejected'
  const { result } = payload
  if (result !== expected)
    return `result is ${JSON.stringify(result)}, but the exit code is ${exitCode}`
  const hasFailures = failureClassesOf(payload).length > 0
  if (hasFailures === (expected === 'rejected')) return undefined
  return hasFailures ? 'it is accepted and lists failures' : 'it is rejected and lists no failure'
}
