/** Normal forms of the three rows that need more than cleaned fields. */
import { type Digest, digestOf, type Sha256 } from '../../canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json.ts'
import { trim } from '../../text/clean.ts'
import type { RequestRow, ResultError, ResultRow, UseRow } from '../turn.ts'
import { type Place, type Reading, short } from './read-row.ts'
import type { ReadableRow } from './surface.ts'

/** Replaces arguments by their digest, at the sort position of `argumentsDigest`. */
export function normalRequest(
  row: ReadableRow,
  where: Place,
  reading: Reading,
  sha256: Sha256,
): RequestRow {
  if (row['arguments'] === undefined) return row as unknown as RequestRow
  const { adapterProfile, arguments: given, argumentsDigest: declared, ...rest } = row
  const argumentsDigest = digestOf(given as Json, sha256)
  if (declared !== undefined && declared !== argumentsDigest) {
    const differs = `is ${short(String(declared))}, but the arguments' is ${argumentsDigest}`
    reading.defect(`${where.at}.argumentsDigest`, differs)
  }
  return {
    ...(adapterProfile !== undefined && { adapterProfile }),
    argumentsDigest,
    ...rest,
  } as unknown as RequestRow
}

/** `observed_only` and `discarded_with_reason` are names from the design document. */
export function normalUse(row: ReadableRow, where: Place, reading: Reading): UseRow {
  const use = row as unknown as UseRow
  if (use.disposition === 'observed_only') return { ...use, disposition: 'observed' }
  if (use.disposition !== 'discarded_with_reason') return use
  if (use.reasonCode === undefined) {
    reading.defect(
      `${where.at}.reasonCode`,
      'is missing, though the result was discarded with reason',
    )
  }
  return { ...use, disposition: 'discarded' }
}

/** A result in normal form; `undefined` for an unknown status, which ends no call. */
export function normalResult(
  given: ReadableRow,
  raw: JsonObject,
  where: Place,
  reading: Reading,
  sha256: Sha256,
): ResultRow | undefined {
  const row = isJsonObject(given['error']) ? { ...given['error'], ...given } : given
  const spoken = statusOf(row, raw)
  if (spoken === 'unknown') return undefined
  checkEnvelope(row, spoken, where, reading, sha256)
  const found = errorMaterial(row)
  const status = spoken ?? (found.any ? 'error' : 'ok')
  const resultDigest = row['resultDigest'] ?? payloadDigest(row['payload'], sha256)
  return {
    ...present('bytes', row['bytes']),
    ...present('callerEdge', row['callerEdge']),
    ...(status === 'error' && { error: errorOf(row, found, sha256) }),
    ...present('provenanceRef', row['provenanceRef']),
    ...present('resultDigest', resultDigest),
    ...present('seq', row['seq']),
    ...present('shell', row['shell']),
    status,
    ...present('streams', row['streams']),
    ...present('tokenDelta', row['tokenDelta']),
    toolCallId: row['toolCallId'] as string,
    ...present('truncation', row['truncation']),
  }
}

const nothing = {}
const present = (name: string, value: Json | undefined) =>
  value === undefined ? nothing : { [name]: value }

const payloadDigest = (payload: Json | undefined, sha256: Sha256) =>
  payload === undefined ? undefined : digestOf(payload, sha256)

function statusOf(row: ReadableRow, raw: JsonObject): 'ok' | 'error' | 'unknown' | undefined {
  const { status } = row
  if (status === 'ok' || status === 'error') return status
  const unread = raw['status']
  const blank =
    unread === undefined || unread === null || (typeof unread === 'string' && trim(unread) === '')
  return blank ? undefined : 'unknown'
}

interface ErrorMaterial {
  readonly errorCode: string | undefined
  readonly retryable: boolean | undefined
  readonly message: string | undefined
  readonly any: boolean
}

/** Flat fields first, then the raw error's fields. A second name counts only without the first. */
function errorMaterial(row: ReadableRow): ErrorMaterial {
  const rawError = isJsonObject(row['rawError']) ? row['rawError'] : undefined
  const errorCode = flatText(row['errorCode']) ?? textUnder(rawError, 'errorCode', 'code')
  const message = flatText(row['errorMessage']) ?? textUnder(rawError, 'errorMessage', 'message')
  const nested = rawError?.['retryable']
  const flat = row['retryable']
  const retryable =
    typeof flat === 'boolean' ? flat : typeof nested === 'boolean' ? nested : undefined
  const any = errorCode !== undefined || retryable !== undefined || message !== undefined
  return { errorCode, retryable, message, any }
}

const flatText = (value: Json | undefined) => (typeof value === 'string' ? value : undefined)

function textUnder(object: JsonObject | undefined, first: string, second: string) {
  const value = object?.[object[first] === undefined ? second : first]
  return filled(value)
}

/** Trimmed text; `undefined` if blank. */
function filled(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined
  return trim(value) || undefined
}

function errorOf(row: ReadableRow, found: ErrorMaterial, sha256: Sha256): ResultError {
  const declared = found.message === undefined ? flatText(row['errorMessageDigest']) : undefined
  return {
    errorCode: found.errorCode ?? 'unknown_error',
    errorMessageDigest: declared ?? messageDigest(found.message ?? '', sha256),
    retryable: found.retryable ?? false,
  }
}

const messageDigest = (message: string, sha256: Sha256): Digest => `sha256:${sha256(message)}`

/**
 * An error must be described in machine-readable fields (HARNESS-TYPESTATE §3.2). Like the
 * reference, it takes the first of two names that is not blank, where the normal form takes the
 * first that is present.
 */
function checkEnvelope(
  row: ReadableRow,
  status: 'ok' | 'error' | undefined,
  where: Place,
  reading: Reading,
  sha256: Sha256,
): void {
  if (!countsAsError(row, status)) return
  const rawError = isJsonObject(row['rawError']) ? row['rawError'] : undefined
  const code = row['errorCode'] ?? filled(rawError?.['errorCode']) ?? filled(rawError?.['code'])
  const retryable = row['retryable'] ?? rawError?.['retryable']
  const message =
    filled(row['errorMessage']) ??
    filled(rawError?.['errorMessage']) ??
    filled(rawError?.['message'])
  const declared = flatText(row['errorMessageDigest'])
  const missing = [
    code === undefined && 'errorCode',
    typeof retryable !== 'boolean' && 'retryable',
    message === undefined && declared === undefined && 'errorMessage',
  ].filter(name => name !== false)
  if (missing.length > 0) {
    reading.defect(where.at, `is an error without ${missing.join(', ')} in machine-readable form`)
  }
  if (message !== undefined && declared !== undefined) {
    const computed = messageDigest(message, sha256)
    if (declared !== computed) {
      const differs = `is ${short(declared)}, but the message's is ${computed}`
      reading.defect(`${where.at}.errorMessageDigest`, differs)
    }
  }
}

function countsAsError(row: ReadableRow, status: 'ok' | 'error' | undefined): boolean {
  if (status !== undefined) return status === 'error'
  return (
    row['errorCode'] !== undefined ||
    row['retryable'] !== undefined ||
    row['errorMessage'] !== undefined ||
    row['rawError'] !== undefined
  )
}
