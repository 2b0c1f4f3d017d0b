/** The record of a host call. */
import type { HostEffect } from '../../../wire/scheme/host-effect.ts'
import { byCodePoint, canonicalJson, type Sha256 } from '../../canonical.ts'
import type { JsonObject } from '../../json.ts'

export const argsDigestOf = (args: JsonObject, sha256: Sha256): `he1_${string}` =>
  `he1_${sha256(canonicalJson(args))}`

/** A part of a step id or a ref: lower case, and no character that means something there. */
export function safeWord(text: string): string {
  const word = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\-_.]/gu, '_')
    .replace(/^_+|_+$/g, '')
  return word === '' ? 'x' : word
}

/** One host call: its number counts from 1. */
export interface HostCall {
  readonly callId: string
  readonly action: string
  readonly args: JsonObject
  readonly argsDigest: `he1_${string}`
  readonly number: number
}

export const effectStepId = (prefix: string, { number, callId, action, argsDigest }: HostCall) =>
  `${prefix}.${number}.${safeWord(callId)}.${safeWord(`${action}.${argsDigest}`)}`

/** The ref of the effect itself, and those that the call names, in order. */
export function effectWitnessRefs(
  { action, argsDigest, number }: HostCall,
  named: readonly string[],
): string[] {
  const own = `host-effect://scheme-eval/${safeWord(action)}/${argsDigest}/${number}`
  return [...new Set([...named, own])].sort(byCodePoint)
}

type Binding = Pick<HostEffect, 'policyDigest' | 'instructionRef'>

interface Ended extends Binding {
  readonly payload: unknown
  readonly failureClasses: readonly string[]
  readonly witnessRefs: readonly string[]
  readonly trajectoryRow: HostEffect['trajectoryRow']
}

export const resultClassOf = (failureClasses: readonly string[]): string =>
  failureClasses[0] ?? 'accepted'

export const hostEffect = (
  { callId, action, argsDigest }: HostCall,
  { payload, failureClasses, witnessRefs, policyDigest, instructionRef, trajectoryRow }: Ended,
): HostEffect => ({
  schema: 'premath.host_effect.v0',
  callId,
  action,
  argsDigest,
  resultClass: resultClassOf(failureClasses),
  payload,
  failureClasses: [...failureClasses],
  witnessRefs: [...witnessRefs],
  policyDigest,
  instructionRef,
  trajectoryRow,
})
