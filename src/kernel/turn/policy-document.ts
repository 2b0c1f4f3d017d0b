/**
 * Matches policy documents to the digests in the call spec. A document counts only if its
 * recomputed digest matches. Otherwise it is refused.
 */
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'
import { isCount, short } from './evidence/read-row.ts'
import { none, type Violation } from './rules/rule.ts'
import { noPolicies, type Turn } from './turn.ts'

/** Digests recomputed from `toolPolicy` instead of a document. */
export const catalogFields = [
  'toolCatalogDigest',
  'deferPolicyDigest',
  'toolExampleDigest',
  'allowedCallersDigest',
] as const

/** The document of this field, if it is present and its digest matches. */
export function documentOf(turn: Turn, field: string): JsonObject | undefined {
  const document = turn.policies[field]
  return document && turn.policyDigests[field] === boundDigest(turn, field) ? document : undefined
}

/** Documents of these fields whose digest does not match the call spec. */
export function mismatches(turn: Turn, fields: readonly string[]): readonly Violation[] {
  if (turn.policies === noPolicies) return none
  return fields.flatMap(field => {
    const computed = turn.policyDigests[field]
    if (computed === undefined) return none
    const bound = boundDigest(turn, field)
    if (bound === computed) return none
    const promise = bound === undefined ? 'the call spec binds none' : `bound is ${short(bound)}`
    return [
      { at: `policies.${field}`, message: `the document's digest is ${computed}; ${promise}` },
    ]
  })
}

function boundDigest(turn: Turn, field: string): string | undefined {
  const value = (turn.callSpec as Readonly<Record<string, unknown>>)[field]
  return typeof value === 'string' ? value : undefined
}

/** Bound digests that the input gives no way to recompute. */
export function unverifiedBindings(turn: Turn): readonly string[] {
  const fromPolicy: readonly string[] = turn.callSpec.toolPolicy ? catalogFields : []
  return Object.keys(turn.callSpec).filter(
    field => field.endsWith('Digest') && !documentOf(turn, field) && !fromPolicy.includes(field),
  )
}

/** A member of a document; `malformed` if it is present with a wrong type. */
type Member<T> = { readonly value?: T; readonly malformed?: true }

export const textList = (
  document: JsonObject | undefined,
  name: string,
): Member<readonly string[]> =>
  member(document, name, value => {
    if (!Array.isArray(value)) return undefined
    const items = value as readonly Json[]
    return items.every(item => typeof item === 'string') ? items : undefined
  })

export const wholeNumber = (document: JsonObject | undefined, name: string): Member<number> =>
  member(document, name, value => (isCount(value) ? value : undefined))

export const yesOrNo = (document: JsonObject | undefined, name: string): Member<boolean> =>
  member(document, name, value => (typeof value === 'boolean' ? value : undefined))

export const thresholds = (
  document: JsonObject | undefined,
  name: string,
): Member<readonly (readonly [string, number])[]> =>
  member(document, name, value => {
    if (!isJsonObject(value)) return undefined
    const entries = Object.entries(value).map(
      ([metric, least]) => [metric, numberOf(least)] as const,
    )
    return entries.every((entry): entry is readonly [string, number] => entry[1] !== undefined)
      ? entries
      : undefined
  })

function member<T>(
  document: JsonObject | undefined,
  name: string,
  read: (value: Json) => T | undefined,
): Member<T> {
  const value = document?.[name]
  if (value === undefined) return {}
  const found = read(value)
  return found === undefined ? { malformed: true } : { value: found }
}

export function malformed(field: string, members: Readonly<Record<string, Member<unknown>>>) {
  return Object.entries(members)
    .filter(([, found]) => found.malformed)
    .map(([name]) => ({
      at: `policies.${field}.${name}`,
      message: 'the policy document says this in a form that cannot be read',
    }))
}
