/** The common part of the policies under `policies/control/`: kind, id and digest. */
import { Fault, type FaultCode } from '../../../fault.ts'
import { NonEmpty, type PolicyDigest } from '../../../wire/primitives.ts'
import { literal, openRecord, type RecordShape, type ValueOf } from '../../../wire/shape.ts'
import { Flaw, newerHint } from '../../artifact/flaw.ts'
import { readAs } from '../../artifact/read.ts'
import { canonicalJson, type Sha256 } from '../../canonical.ts'
import type { Json, JsonObject } from '../../json.ts'

export interface PolicyKind {
  /** Such as `retry policy`. */
  readonly noun: string
  /** The prefix of its failure classes. */
  readonly prefix: string
  readonly kind: string
  /** Relative to the project root or to the installed package. */
  readonly path: string
}

/** The fault code of each reason why a policy cannot be loaded. */
const loadFaults = {
  missing: 'invalid_input',
  invalid_json: 'invalid_input',
  io_error: 'unavailable',
  invalid_shape: 'invalid_input',
  invalid_digest: 'corrupt',
} as const satisfies Record<string, FaultCode>

type PolicyFailure = keyof typeof loadFaults

export function badPolicy(
  { noun, prefix }: PolicyKind,
  failure: PolicyFailure,
  path: string,
  why: string,
  { cause, isNewer = false }: { readonly cause?: unknown; readonly isNewer?: boolean } = {},
): Fault {
  const failureClass = `${prefix}_${failure}`
  const message = `the ${noun} ${path} is not valid: ${why} (${failureClass})`
  return new Fault(loadFaults[failure], message, {
    hint: isNewer
      ? newerHint
      : 'Nothing was decided. Correct the file, or remove it to use the built-in policy.',
    detail: { failureClass, path },
    cause,
  })
}

/** `pol1_` and the SHA-256 of the canonical document without its own digest. */
export function policyDigestOf(document: JsonObject, sha256: Sha256): ValueOf<typeof PolicyDigest> {
  const { policyDigest: _own, ...rest } = document
  return `pol1_${sha256(canonicalJson(rest))}`
}

/** Reads a policy by its shape. Throws a fault for the first problem. */
export function readPolicy<const S extends RecordShape>(
  value: Json,
  shape: S,
  kind: PolicyKind,
  { path, sha256 }: { readonly path: string; readonly sha256: Sha256 },
): ValueOf<S> {
  const head = readAs(headOf(kind), value)
  if (head instanceof Flaw) {
    throw badPolicy(kind, 'invalid_shape', path, String(head), { isNewer: head.isNewer })
  }
  const badDigest = (why: string) => badPolicy(kind, 'invalid_digest', path, why)
  const { policyDigest } = head
  if (!policyDigest.startsWith('pol1_')) throw badDigest('policyDigest must begin with pol1_')
  const document = { ...(value as JsonObject), policyDigest }
  const policy: unknown = readAs(shape, document)
  const actual = policyDigestOf(document, sha256)
  if (policy instanceof Flaw && policy.at !== 'policyDigest') {
    throw badPolicy(kind, 'invalid_shape', path, String(policy))
  }
  if (policyDigest !== actual) {
    throw badDigest(`policyDigest is ${policyDigest}, but the digest of the document is ${actual}`)
  }
  return policy as ValueOf<S>
}

/** Checked first: a document of another kind has another shape. */
const headOf = ({ kind }: PolicyKind) =>
  openRecord({
    schema: literal(1),
    policyKind: literal(kind),
    policyId: NonEmpty,
    policyDigest: NonEmpty,
  })
