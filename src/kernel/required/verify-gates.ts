/** Verifies the gate witnesses that a witness of required checks refers to. */
import { GateWitnessRef } from '../../wire/required/gate-witness.ts'
import { Flaw, shaped } from '../artifact/flaw.ts'
import { canonicalJson, type Sha256 } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { isSafePath } from './gate-ref.ts'
import { failureClassesOf, gateFlaw, payloadSha256 } from './gate-witness.ts'

/** A gate witness that is missing or cannot be read. */
export class UnusablePayload {
  readonly why: string

  constructor(why: string) {
    this.why = why
  }
}

/** `undefined` if gate witnesses are not at hand. */
export type PayloadOf = (
  ref: Pick<GateWitnessRef, 'checkId' | 'artifactRelPath'>,
) => Json | UnusablePayload | undefined

/** The refs that can be read. `undefined` if the witness has none at all. */
export function gatesOf(witness: JsonObject): readonly GateWitnessRef[] | undefined {
  const given = witness['gateWitnessRefs']
  if (given === undefined) return undefined
  if (!Array.isArray(given)) return []
  return given.flatMap((one: Json) => {
    const ref = shaped(GateWitnessRef, one)
    return ref instanceof Flaw ? [] : [ref]
  })
}

interface Gates {
  readonly witness: JsonObject
  readonly gates: readonly GateWitnessRef[] | undefined
  readonly results: readonly { readonly checkId: string; readonly exitCode: number }[]
  readonly payloadOf: PayloadOf
  readonly nativeRequiredChecks: readonly string[]
}

export function verifyGates(asked: Gates, sha256: Sha256): readonly string[] {
  const { witness, gates, results, nativeRequiredChecks } = asked
  const native = nativeRequiredChecks.flatMap(check => {
    const source = gates?.find(({ checkId }) => checkId === check)?.source
    const isRun = results.some(({ checkId }) => checkId === check)
    if (!isRun || source === 'native') return []
    return [`check ${check} requires native source, but its gate witness is ${source ?? 'missing'}`]
  })
  if (gates === undefined) return native
  const given = witness['gateWitnessRefs'] as Json
  const unread = Array.isArray(given) ? refFlaws(given) : ['gateWitnessRefs is not a list']
  const order = gates.map(({ checkId }) => checkId)
  const executed = results.map(({ checkId }) => checkId)
  const isInOrder = canonicalJson(order) === canonicalJson(executed)
  return [
    ...unread,
    ...(isInOrder || unread.length > 0
      ? []
      : ['gateWitnessRefs mismatch: they are not those of executedChecks, in order']),
    ...gates.flatMap(ref => {
      const result = results.find(({ checkId }) => checkId === ref.checkId)
      return gateErrors(ref, result?.exitCode, asked, sha256)
    }),
    ...native,
  ]
}

const refFlaws = (refs: readonly Json[]): readonly string[] =>
  refs.flatMap((one, place) => {
    const flaw = shaped(GateWitnessRef, one)
    return flaw instanceof Flaw ? [String(flaw.under(`gateWitnessRefs[${place}]`))] : []
  })

function gateErrors(
  ref: GateWitnessRef,
  exitCode: number | undefined,
  { payloadOf }: Gates,
  sha256: Sha256,
): readonly string[] {
  const { checkId, artifactRelPath } = ref
  const at = `gate witness of ${checkId}`
  if (!isSafePath(artifactRelPath)) return [`${at}: artifactRelPath leaves the folder`]
  const expected = exitCode === 0 ? 'accepted' : 'rejected'
  const claimed =
    ref.result === undefined || exitCode === undefined || ref.result === expected
      ? []
      : [`${at}: result mismatch, the exit code is ${exitCode}`]
  const payload = payloadOf(ref)
  if (payload === undefined) return claimed
  if (payload instanceof UnusablePayload) return [...claimed, `${at}: ${payload.why}`]
  if (!isJsonObject(payload)) return [...claimed, `${at}: the document is not an object`]
  return [...claimed, ...payloadErrors(ref, payload, exitCode, sha256).map(why => `${at}: ${why}`)]
}

function payloadErrors(
  ref: GateWitnessRef,
  payload: JsonObject,
  exitCode: number | undefined,
  sha256: Sha256,
): readonly string[] {
  const actual = payloadSha256(payload, sha256)
  const flaw = exitCode === undefined ? undefined : gateFlaw(payload, exitCode)
  const classes = failureClassesOf(payload)
  return [
    ...(actual === ref.sha256 ? [] : [`sha256 mismatch: the document has ${actual}`]),
    ...(flaw === undefined ? [] : [flaw]),
    ...(ref.runId === payload['runId'] ? [] : ['runId mismatch']),
    ...(canonicalJson(classes) === canonicalJson(ref.failureClasses)
      ? []
      : ['failureClasses mismatch']),
  ]
}
