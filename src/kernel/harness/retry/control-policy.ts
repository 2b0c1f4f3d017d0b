/** The common part of the policies under `policies/control/`: kind, id and digest. */
import { Fault, type FaultCode } from '../../../fault.ts'
import { canonicalJson, type Sha256 } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { trim } from '../../text/clean.ts'

export interface PolicyKind {
  /** Such as `retry policy`. */
  readonly noun: string
  /** The prefix of its failure classes. */
  readonly prefix: string
  readonly kind: string
  /** Relative to the project root or to the installed package. */
  readonly path: string
}

export interface ControlPolicy {
  readonly policyId: string
  readonly policyDigest: string
}

/** The fault code of each reason why a policy cannot be loaded. */
const loadFaults = {
  missing: 'invalid_input',
  invalid_json: 'invalid_input',
  io_error: 'unavailable',
  invalid_shape: 'invalid_input',
  invalid_digest: 'corrupt',
} as const satisfies Record<string, FaultCode>

export type PolicyFailure = keyof typeof loadFaults

export function badPolicy(
  { noun, prefix }: PolicyKind,
  failure: PolicyFailure,
  path: string,
  why: string,
  cause?: unknown,
): Fault {
  const failureClass = `${prefix}_${failure}`
  const message = `the ${noun} ${path} is not valid: ${why} (${failureClass})`
  return new Fault(loadFaults[failure], message, {
    hint: 'Nothing was decided. Correct the file, or remove it to use the built-in policy.',
    detail: { failureClass, path },
    cause,
  })
}

/** `pol1_` and the SHA-256 of the canonical document without its own digest. */
export function policyDigestOf(document: JsonObject, sha256: Sha256): string {
  const { policyDigest: _own, ...rest } = document
  return `pol1_${sha256(canonicalJson(rest))}`
}

/** Builds the fault for a document with a wrong shape. */
export type BadShape = (why: string) => Fault

/** Reads a policy and its content with `read`. Throws a fault for the first problem. */
export function readPolicy<Said>(
  value: Json,
  kind: PolicyKind,
  { path, sha256 }: { readonly path: string; readonly sha256: Sha256 },
  read: (document: JsonObject, bad: BadShape) => Said,
): ControlPolicy & Said {
  const shape: BadShape = why => badPolicy(kind, 'invalid_shape', path, why)
  const digest: BadShape = why => badPolicy(kind, 'invalid_digest', path, why)
  if (!isJsonObject(value)) throw shape('it is not an object')
  if (value['schema'] !== 1) throw shape('its schema is not 1')
  if (value['policyKind'] !== kind.kind) throw shape(`its policyKind is not ${kind.kind}`)
  const policyId = policyText(value, 'policyId', 'policyId', shape)
  const policyDigest = policyText(value, 'policyDigest', 'policyDigest', shape)
  if (!policyDigest.startsWith('pol1_')) throw digest('its policyDigest does not start with pol1_')
  const said = read(value, shape)
  const actual = policyDigestOf(value, sha256)
  if (policyDigest !== actual) {
    throw digest(`its digest is ${actual}, but its policyDigest says ${policyDigest}`)
  }
  return { policyId, policyDigest, ...said }
}

export function policyText(object: JsonObject, field: string, at: string, bad: BadShape): string {
  const value = object[field]
  if (typeof value !== 'string' || trim(value) === '') {
    throw bad(`${at} is missing, empty or not text`)
  }
  return trim(value)
}

export function policyCount(value: Json | undefined, at: string, bad: BadShape): number {
  if (!Number.isSafeInteger(value) || Number(value) < 1) {
    throw bad(`${at} is not a whole number from 1`)
  }
  return Number(value)
}

export function policyNames(value: Json | undefined, at: string, bad: BadShape): readonly string[] {
  if (!areNames(value)) throw bad(`${at} is not a list of names`)
  return value.map(trim)
}

const areNames = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string' && trim(one) !== '')
