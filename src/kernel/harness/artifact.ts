/** Reading a document of ours that a person may have edited or a newer premath written. */
import { Fault } from '../../fault.ts'
import { prettyAsOrdered } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'
import { cleanRefs, trim } from '../text/clean.ts'
import { instantOf, timestampOf } from '../timestamp.ts'

/** What the document is called in messages, and where it is. */
export interface ArtifactName {
  /** `harness session`. */
  readonly noun: string
  readonly path: string
}

/** The document as an object of the kind, or a fault that says what is wrong and what to do. */
export function artifactIn(
  value: Json,
  name: ArtifactName,
  { kindField, kind }: { readonly kindField: string; readonly kind: string },
): JsonObject {
  if (!isJsonObject(value)) throw badArtifact(name, 'it is not an object')
  const schema = numberOf(value['schema'])
  if (schema !== undefined && Number.isInteger(schema) && schema > 1) {
    throw badArtifact(name, `its schema is ${schema}, and this premath knows 1`, newerHint)
  }
  if (schema !== 1) throw badArtifact(name, 'its schema is not 1')
  if (value[kindField] !== kind) throw badArtifact(name, `its ${kindField} is not ${kind}`)
  return value
}

const newerHint = 'A newer premath wrote it: use that one, or name another file.'

export function badArtifact({ noun, path }: ArtifactName, why: string, hint?: string): Fault {
  return new Fault('invalid_input', `the ${noun} ${path} cannot be used: ${why}`, {
    hint: hint ?? mendHint,
    detail: { path },
  })
}

const mendHint = 'Nothing was changed. Mend the file, or move it away to begin anew.'

/** A document that is not even JSON, or not even text: where it is broken, and in which file. */
export function unreadableArtifact({ noun, path }: ArtifactName, fault: Fault): Fault {
  return new Fault('invalid_input', `the ${noun} ${path} cannot be used: ${fault.message}`, {
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

/** Trimmed; blank is as good as absent. */
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

/** Refs in normal form. */
export const refsIn = (object: JsonObject, field: string, name: ArtifactName) =>
  cleanRefs(textsIn(object, field, name))

/** A list as it stands, blanks and repeats included. */
export function textsIn(object: JsonObject, field: string, name: ArtifactName): readonly string[] {
  const value = object[field] ?? []
  if (Array.isArray(value) && value.every(ref => typeof ref === 'string')) return value
  throw badArtifact(name, `${field} is not a list of text`)
}

/**
 * Text as a document can hold it: trimmed, and without half of a surrogate pair, which cutting a
 * program's output leaves behind and which no reader would take back.
 */
export const wholeText = (text: string) => trim(text.toWellFormed())

/** What a write leaves out stays; blank clears. */
export const replaced = (given: string | undefined, kept: string | undefined) =>
  given === undefined ? kept : wholeText(given) || undefined

/** What a write leaves out stays; a list replaces, and one of nothing but blanks clears. */
export const replacedRefs = (
  given: readonly string[] | undefined,
  kept: readonly string[] | undefined,
): readonly string[] => (given === undefined ? (kept ?? []) : cleanRefs(given.map(wholeText)))

/** Refs tell of one issue's work: they must not be taken for another one's. */
export const isSameWork = (before: string | undefined, after: string | undefined) =>
  before === undefined || before === after

/** Members outside the contract, kept as they are: a newer tool may need them. */
export function othersIn(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => !known.has(field)))
}

const nanosPerSecond = 1_000_000_000n

/** Artifacts of the harness count in whole seconds. */
export const secondOf = (instant: bigint): string =>
  timestampOf(instant - (((instant % nanosPerSecond) + nanosPerSecond) % nanosPerSecond))

/** Absent where there is nothing to say. */
export const listed = (refs: readonly string[]) => (refs.length > 0 ? refs : undefined)

/** Without the members that have no value. */
export const filled = (document: Readonly<Record<string, unknown>>): JsonObject =>
  Object.fromEntries(
    Object.entries(document).filter(([, value]) => value !== undefined),
  ) as JsonObject

/** A document as its file holds it. Our own printer: a number we do not know keeps its spelling. */
export const printArtifact = (document: object): string =>
  `${prettyAsOrdered(document as JsonObject)}\n`
