/** Reads the input of `premath required-gate-ref` and answers it. */
import {
  GateFallback,
  type GateWitness,
  type GateWitnessRef,
  gateSources,
} from '../../wire/required/gate-witness.ts'
import type { Sha256 } from '../canonical.ts'
import {
  isGiven,
  type Member,
  membersOf,
  textOf,
  wordOf,
} from '../instruction/instruction-field.ts'
import {
  allRead,
  type InstructionRefusal,
  isRefused,
  refused,
} from '../instruction/instruction-refusal.ts'
import { isJsonObject, type Json } from '../json.ts'
import { leavesRoot } from './changed-paths.ts'
import { fallbackWitness, gateDocument, gateWitnessRef } from './gate-witness.ts'

const failureClass = 'required_gate_ref_invalid'
const bad = (why: string) => refused(failureClass, why)
const member = (at: string): Member => ({ at, failureClass })

export interface GateRefAnswer {
  readonly gateWitnessRef: GateWitnessRef
  /** The witness that was made, if the check wrote none. */
  readonly gatePayload?: GateWitness
}

export function gateRef(input: Json, sha256: Sha256): GateRefAnswer | InstructionRefusal {
  if (!isJsonObject(input)) return bad('the input is not an object')
  const hasPayload = isGiven(input, 'gatePayload')
  if (hasPayload === isGiven(input, 'fallback')) {
    return bad('the input needs one of gatePayload and fallback')
  }
  const made = hasPayload ? 'native' : 'fallback'
  const head = allRead({
    checkId: textOf(input['checkId'], member('checkId')),
    artifactRelPath: relativePath(input['artifactRelPath']),
    source: isGiven(input, 'source')
      ? wordOf(input['source'], gateSources, member('source'))
      : made,
  })
  if (isRefused(head)) return head
  if (hasPayload) {
    const payload = input['gatePayload']
    if (!isJsonObject(payload)) return bad('gatePayload is not an object')
    return { gateWitnessRef: gateWitnessRef(head, payload, sha256) }
  }
  if (head.source !== 'fallback') return bad('source must be fallback if fallback is given')
  const given = input['fallback']
  if (!isJsonObject(given)) return bad('fallback is not an object')
  const fallback = membersOf(GateFallback.members, given, member('fallback'))
  if (isRefused(fallback)) return fallback
  const gatePayload = fallbackWitness(head.checkId, fallback, sha256)
  return { gateWitnessRef: gateWitnessRef(head, gateDocument(gatePayload), sha256), gatePayload }
}

function relativePath(value: Json | undefined) {
  const path = textOf(value, member('artifactRelPath'))
  if (typeof path !== 'string' || isSafePath(path)) return path
  return bad('artifactRelPath leaves the folder of the witnesses')
}

/** Stays in the folder of the witnesses. */
export const isSafePath = (path: string): boolean => !leavesRoot(path.replaceAll('\\', '/'))
