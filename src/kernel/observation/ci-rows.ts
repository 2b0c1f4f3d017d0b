/**
 * Rows of the surface from the artifacts of the required checks and of instructions. They are read
 * loosely, since other tools write them too. The order of checks is kept.
 */
import type { InstructionRow, ObservationSurface } from '../../wire/observation/surface.ts'
import { inKeyOrder } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'

/** A parsed artifact and its path from the root of the project. */
export interface SeenDocument {
  readonly ref: string
  readonly value: JsonObject
}

export type LatestRows = ObservationSurface['latest']

/** By the part of their file name after `latest-`. */
export type LatestDocuments = Readonly<
  Record<'delta' | 'required' | 'decision', SeenDocument | undefined>
>

export const latestRows = ({ delta, required, decision }: LatestDocuments): LatestRows => ({
  delta: delta ? deltaRow(delta) : null,
  required: required ? requiredRow(required) : null,
  decision: decision ? decisionRow(decision) : null,
})

function deltaRow({ ref, value }: SeenDocument): NonNullable<LatestRows['delta']> {
  const changedPaths = textsAt(value, 'changedPaths')
  return {
    ref,
    projectionPolicy: textAt(value, 'projectionPolicy'),
    projectionDigest: textAt(value, 'projectionDigest'),
    ...bindingOf(value),
    deltaSource: textAt(value, 'deltaSource'),
    fromRef: textAt(value, 'fromRef'),
    toRef: textAt(value, 'toRef'),
    changedPaths,
    changedPathCount: changedPaths.length,
  }
}

const requiredRow = ({ ref, value }: SeenDocument): NonNullable<LatestRows['required']> => ({
  ref,
  witnessKind: textAt(value, 'witnessKind'),
  projectionPolicy: textAt(value, 'projectionPolicy'),
  projectionDigest: textAt(value, 'projectionDigest'),
  ...bindingOf(value),
  verdictClass: textAt(value, 'verdictClass'),
  requiredChecks: textsAt(value, 'requiredChecks'),
  executedChecks: textsAt(value, 'executedChecks'),
  failureClasses: textsAt(value, 'failureClasses'),
})

const decisionRow = ({ ref, value }: SeenDocument): NonNullable<LatestRows['decision']> => ({
  ref,
  decisionKind: textAt(value, 'decisionKind'),
  projectionDigest: textAt(value, 'projectionDigest'),
  ...bindingOf(value),
  decision: textAt(value, 'decision'),
  reasonClass: textAt(value, 'reasonClass'),
  witnessPath: textAt(value, 'witnessPath'),
  deltaSnapshotPath: textAt(value, 'deltaSnapshotPath'),
  requiredChecks: textsAt(value, 'requiredChecks'),
})

/** A row before the others are known, which decide its standing. */
export type WitnessRow = Omit<InstructionRow, 'standing'>

export const instructionKind = 'ci.instruction.v1'

/** `undefined` for a file that is not the witness of an instruction. */
export function instructionRow({ ref, value }: SeenDocument): WitnessRow | undefined {
  const instructionId = textAt(value, 'instructionId')
  if (value['witnessKind'] !== instructionKind || instructionId === null) return undefined
  const { proposalIngest } = value
  return {
    ref,
    witnessKind: instructionKind,
    instructionId,
    instructionDigest: textAt(value, 'instructionDigest'),
    ...textIfAny(value, 'typedCoreProjectionDigest'),
    ...textIfAny(value, 'authorityPayloadDigest'),
    instructionClassification: inKeyOrder(value['instructionClassification'] ?? null),
    intent: textAt(value, 'intent'),
    scope: inKeyOrder(value['scope'] ?? null),
    policyDigest: textAt(value, 'policyDigest'),
    verdictClass: textAt(value, 'verdictClass'),
    requiredChecks: textsAt(value, 'requiredChecks'),
    executedChecks: textsAt(value, 'executedChecks'),
    failureClasses: textsAt(value, 'failureClasses'),
    ...textIfAny(value, 'runStartedAt'),
    ...textIfAny(value, 'runFinishedAt'),
    ...(isJsonObject(proposalIngest) && { proposalIngest: inKeyOrder(proposalIngest) }),
  }
}

const bindingOf = (value: JsonObject) => ({
  ...textIfAny(value, 'typedCoreProjectionDigest'),
  ...textIfAny(value, 'authorityPayloadDigest'),
  ...textIfAny(value, 'normalizerId'),
  ...textIfAny(value, 'policyDigest'),
})

function textIfAny<const Name extends string>(value: JsonObject, name: Name) {
  const text = textAt(value, name)
  return (text === null ? {} : { [name]: text }) as { readonly [Key in Name]?: string }
}

function textAt(value: JsonObject, name: string): string | null {
  const found = value[name]
  return typeof found === 'string' && found !== '' ? found : null
}

/** Each text once, in the order of the document. */
function textsAt(value: JsonObject, name: string): readonly string[] {
  const found: Json | undefined = value[name]
  return Array.isArray(found) ? [...new Set(found.filter(one => typeof one === 'string'))] : []
}
