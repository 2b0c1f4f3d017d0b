/** Reads a premath document that a person may have edited or a newer version may have written. */
import { Fault } from '../../fault.ts'
import type { RecordShape, ValueOf } from '../../wire/shape.ts'
import { Flaw } from '../artifact/flaw.ts'
import { readAs } from '../artifact/read.ts'
import { prettyAsOrdered } from '../canonical.ts'
import { isJsonObject, type Json, type JsonObject, numberOf } from '../json.ts'
import { cleanRefs, trim } from '../text/clean.ts'
import { timestampOf } from '../timestamp.ts'

/** The name and path of a document, for messages. */
interface ArtifactName {
  /** Such as `harness session`. */
  readonly noun: string
  readonly path: string
}

/** Reads a document by its shape. A flaw is a fault that says what is wrong and how to fix it. */
export function readArtifact<const S extends RecordShape>(
  shape: S,
  value: Json,
  name: ArtifactName,
): ValueOf<S> {
  const schema = isJsonObject(value) ? numberOf(value['schema']) : undefined
  if (schema !== undefined && Number.isInteger(schema) && schema > 1) {
    throw badArtifact(
      name,
      `its schema is ${schema}, and this version of premath supports 1`,
      newerHint,
    )
  }
  const read: unknown = readAs(shape, value, { nullIsAbsent: true })
  if (read instanceof Flaw) throw badArtifact(name, String(read))
  return read as ValueOf<S>
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

const nanosPerSecond = 1_000_000_000n

/** Harness artifacts store whole seconds. */
export const secondOf = (instant: bigint): string =>
  timestampOf(instant - (((instant % nanosPerSecond) + nanosPerSecond) % nanosPerSecond))

/**
 * Prints a document for its file. Uses our own printer, because it keeps the spelling of numbers.
 */
export const printArtifact = (document: object): string =>
  `${prettyAsOrdered(document as JsonObject)}\n`
