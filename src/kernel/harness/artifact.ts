/** Reads a premath document that a person may have edited or a newer version may have written. */
import { Fault } from '../../fault.ts'
import { prettyAsOrdered } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'
import { cleanRefs, trim } from '../text/clean.ts'
import { instantOf, timestampOf } from '../timestamp.ts'

/** The name and path of a document, for messages. */
export interface ArtifactName {
  /** Such as `harness session`. */
  readonly noun: string
  readonly path: string
}

/**
 * Returns the document if it is an object of the expected kind. Otherwise throws a fault that says
 * what is wrong and how to fix it.
 */
export function artifactIn(
  value: Json,
  name: ArtifactName,
  { kindField, kind }: { readonly kindField: string; readonly kind: string },
): JsonObject {
  if (!isJsonObject(value)) throw badArtifact(name, 'it is not an object')
  const schema = numberOf(value['schema'])
  if (schema !== undefined && Number.isInteger(schema) && schema > 1) {
    throw badArtifact(
      name,
      `its schema is ${schema}, and this version of premath supports 1`,
      newerHint,
    )
  }
  if (schema !== 1) throw badArtifact(name, 'its schema is not 1')
  if (value[kindField] !== kind) throw badArtifact(name, `its ${kindField} is not ${kind}`)
  return value
}

const newerHint = 'A newer version of premath wrote it. Use that version, or pass another file.'

export function badArtifact({ noun, path }: ArtifactName, why: string, hint?: string): Fault {
  return new Fault('invalid_input', `the ${noun} ${path} is not valid: ${why}`, {
    hint: hint ?? mendHint,
    detail: { path },
  })
}

const mendHint = 'Nothing was changed. Correct the file, or move it away to start with a new one.'

/** For a document that is not valid JSON or not valid UTF-8. Names the file and the position. */
export function unreadableArtifact({ noun, path }: ArtifactName, fault: Fault): Fault {
  return new Fault('invalid_input', `the ${noun} ${path} is not valid: ${fault.message}`, {
    hint: mendHint,
    detail: { ...fault.detail, path },
    cause: fault,
  })
}

export function textIn(object: JsonObject, field: string, name: ArtifactName): string {
  const value = optionalIn(object, field, name)
  if (value === undefined) throw badArtifact(name, `${field} is missing or blank`)
  return value
}

/** Trimmed. An empty text counts as absent. */
export function optionalIn(
  object: JsonObject,
  field: string,
  name: ArtifactName,
): string | undefined {
  const value = object[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw badArtifact(name, `${field} is not text`)
  return trim(value) || undefined
}

export function timeIn(object: JsonObject, field: string, name: ArtifactName): string {
  const value = textIn(object, field, name)
  if (instantOf(value) === undefined) throw badArtifact(name, `${field} is not an RFC 3339 time`)
  return value
}

export function optionalTimeIn(object: JsonObject, field: string, name: ArtifactName) {
  return optionalIn(object, field, name) === undefined ? undefined : timeIn(object, field, name)
}

/** Trimmed, without empty entries and duplicates, sorted. */
export const refsIn = (object: JsonObject, field: string, name: ArtifactName) =>
  cleanRefs(textsIn(object, field, name))

/** The list as written, with empty entries and duplicates. */
export function textsIn(object: JsonObject, field: string, name: ArtifactName): readonly string[] {
  const value = object[field] ?? []
  if (Array.isArray(value) && value.every(ref => typeof ref === 'string')) return value
  throw badArtifact(name, `${field} is not a list of text`)
}

/**
 * Trims the text and replaces half surrogate pairs, which truncated program output may contain and
 * no reader accepts.
 */
export const wholeText = (text: string) => trim(text.toWellFormed())

/** An omitted value stays. An empty text clears it. */
export const replaced = (given: string | undefined, kept: string | undefined) =>
  given === undefined ? kept : wholeText(given) || undefined

/** An omitted list stays. A list replaces the old one, and a list of empty texts clears it. */
export const replacedRefs = (
  given: readonly string[] | undefined,
  kept: readonly string[] | undefined,
): readonly string[] => (given === undefined ? (kept ?? []) : cleanRefs(given.map(wholeText)))

/** Refs belong to the work on one issue and must not be kept for another. */
export const isSameWork = (before: string | undefined, after: string | undefined) =>
  before === undefined || before === after

/** Unknown members are kept, because a newer version may need them. */
export function othersIn(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !known.has(field)))
}

const nanosPerSecond = 1_000_000_000n

/** Harness artifacts store whole seconds. */
export const secondOf = (instant: bigint): string =>
  timestampOf(instant - (((instant % nanosPerSecond) + nanosPerSecond) % nanosPerSecond))

/** `undefined` for an empty list, so that the member is omitted. */
export const listed = (refs: readonly string[]) => (refs.length > 0 ? refs : undefined)

/** Omits members without a value. */
export const filled = (document: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    Object.entries(document).filter(([, value]) => value !== undefined),
  ) as JsonObject

/**
 * Prints a document for its file. Uses our own printer, because it keeps the spelling of numbers.
 */
export const printArtifact = (document: object): string =>
  `${prettyAsOrdered(document as JsonObject)}\n`
