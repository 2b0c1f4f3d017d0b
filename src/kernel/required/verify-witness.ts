/** Verifies a witness of required checks: derives it again from the change, and compares. */
import type { WitnessVerification } from '../../wire/required/decision.ts'
import type { RequiredChecks } from '../../wire/required/required-checks.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { projectChecks } from './projection.ts'
import { isCoherent, requiredVerdict, requiredWitnessKind } from './required-witness.ts'
import { coreDigests } from './typed-core.ts'
import { gatesOf, type PayloadOf, verifyGates } from './verify-gates.ts'

export interface WitnessQuestion {
  readonly witness: JsonObject
  /** Normal paths: those that changed, whatever the witness says. */
  readonly changedPaths: readonly string[]
  readonly rules: RequiredChecks
  /** The gate witnesses that are at hand. */
  readonly payloadOf: PayloadOf
  /** Checks that must have written their own gate witness. */
  readonly nativeRequiredChecks: readonly string[]
}

export function verifyRequiredWitness(
  question: WitnessQuestion,
  sha256: Sha256,
): WitnessVerification {
  const { witness, changedPaths, rules } = question
  const projection = projectChecks(rules, changedPaths, sha256)
  const { requiredChecks, projectionDigest, docsOnly, reasons } = projection
  const results = resultsOf(witness)
  const executedChecks = results.map(({ checkId }) => checkId)
  const gates = gatesOf(witness)
  const refs = gates ?? []
  const verdict = requiredVerdict({ requiredChecks, results, gateWitnessRefs: refs })
  const policyDigest = rules.projectionPolicy
  const normalizerId = textIn(witness, 'normalizerId')
  const core =
    normalizerId === undefined
      ? undefined
      : coreDigests({ projectionDigest, normalizerId, policyDigest }, sha256)
  const errors = [
    ...mismatches(witness, {
      ciSchema: 1,
      witnessKind: requiredWitnessKind,
      projectionPolicy: rules.projectionPolicy,
      projectionDigest,
      changedPaths,
      requiredChecks,
      executedChecks: requiredChecks,
      docsOnly,
      reasons,
      ...verdict,
      policyDigest,
      ...core,
    }),
    ...(normalizerId === undefined ? ['normalizerId is missing or blank'] : []),
    ...resultErrors(witness, results, executedChecks),
    ...verifyGates({ ...question, gates, results }, sha256),
  ]
  return {
    errors,
    derived: {
      changedPaths,
      projectionDigest,
      ...core,
      ...(normalizerId !== undefined && { normalizerId }),
      policyDigest,
      requiredChecks,
      executedChecks,
      gateWitnessSourceByCheck: byCheck(refs, ({ source }) => source),
      gateSemanticFailureClassesByCheck: byCheck(refs, ({ failureClasses }) => failureClasses),
      docsOnly,
      reasons,
      expectedVerdict: verdict.verdictClass,
    },
  }
}

/** In the order of the expected members, each with both values. */
export const mismatches = (
  document: JsonObject,
  expected: Readonly<Record<string, Json>>,
): readonly string[] =>
  Object.entries(expected).flatMap(([name, value]) => {
    const actual = document[name]
    if (actual !== undefined && canonicalJson(actual) === canonicalJson(value)) return []
    const given = actual === undefined ? 'nothing' : canonicalJson(actual)
    return [`${name} mismatch: expected ${canonicalJson(value)}, the document has ${given}`]
  })

export interface ReadResult {
  readonly checkId: string
  readonly status: string
  readonly exitCode: number
}

/** The results that can be read; the others are errors. */
function resultsOf(witness: JsonObject): readonly ReadResult[] {
  return listIn(witness, 'results').flatMap(result => {
    if (!isJsonObject(result)) return []
    const { checkId, status, exitCode } = result
    const isWhole = typeof checkId === 'string' && typeof status === 'string'
    return isWhole && typeof exitCode === 'number' ? [{ checkId, status, exitCode }] : []
  })
}

function resultErrors(
  witness: JsonObject,
  results: readonly ReadResult[],
  executed: readonly string[],
): readonly string[] {
  const listed = listIn(witness, 'results')
  const claimed = witness['executedChecks']
  const isSequence = claimed !== undefined && canonicalJson(claimed) === canonicalJson(executed)
  return [
    ...(listed.length === results.length && Array.isArray(witness['results'])
      ? []
      : ['results is not a list of results']),
    ...(isSequence ? [] : ['results sequence mismatch: it is not that of executedChecks']),
    ...results.flatMap(({ checkId, status, exitCode }) =>
      (status === 'passed' || status === 'failed') && isCoherent({ status, exitCode })
        ? []
        : [`status of ${checkId} is ${JSON.stringify(status)} with exit code ${exitCode}`],
    ),
  ]
}

export function listIn(document: JsonObject, name: string): readonly Json[] {
  const value = document[name]
  return Array.isArray(value) ? value : []
}

export function textIn(document: JsonObject, name: string): string | undefined {
  const value = document[name]
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

const byCheck = <Gate extends { readonly checkId: string }, Value>(
  gates: readonly Gate[],
  pick: (gate: Gate) => Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(gates.map(gate => [gate.checkId, pick(gate)]))
