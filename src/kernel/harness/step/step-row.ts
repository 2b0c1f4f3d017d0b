/** One row of the trajectory: a finished step and its refs (HARNESS-RUNTIME §6). */
import { Fault } from '../../../fault.ts'
import { isJsonObject, type Json, type JsonObject, jsonDepthMax, parseJson } from '../../json.ts'
import { cleanRefs, clip, trim } from '../../text/clean.ts'
import { instantOf, isCanonicalTimestamp } from '../../timestamp.ts'

export const stepKind = 'premath.harness.step.v1'
/** The action of a handoff row, which is not an attempt. */
export const stopAction = 'harness.stop'
export const trajectoryPathDefault = '.premath/harness_trajectory.jsonl'

/** The verdict on the turns of a step, without their payloads. */
export interface StepTurn {
  readonly callSpecDigest: string
  readonly useSetDigest: string
  readonly joinSetDigest: string
  readonly joinClosed: boolean
  readonly mutationReady: boolean
  readonly failureClasses: readonly string[]
}

/** One finished command of a step. */
export interface StepCommand {
  readonly role: 'startup' | 'before' | 'work' | 'verify' | 'transport'
  readonly commandDigest: string
  /** `null` if a signal ended it or it never ran. */
  readonly exitCode: number | null
  readonly signal?: string
  readonly durationMs: number
  readonly outputDigest: string
}

export interface StepRow {
  readonly stepId: string
  readonly issueId?: string
  readonly action: string
  readonly resultClass: string
  readonly instructionRefs: readonly string[]
  readonly witnessRefs: readonly string[]
  readonly lineageRefs: readonly string[]
  readonly startedAt?: string
  readonly finishedAt: string
  readonly workerId?: string
  /** The first attempt is 1. */
  readonly attempt?: number
  readonly durationMs?: number
  readonly nextStep?: string
  readonly commands?: readonly StepCommand[]
  readonly turn?: StepTurn
  readonly others: JsonObject
}

/** Why a line is not a valid row. */
export class BadStepRow {
  readonly why: string

  constructor(why: string) {
    this.why = clip(why, whyCharsMax)
  }
}

/** The reason may quote invalid input of any length. */
const whyCharsMax = 200

/** The maximum size of a line. A row refers to payloads and holds none. */
export const stepLineBytesMax = 1024 * 1024

const members: ReadonlySet<string> = new Set([
  'schema',
  'stepKind',
  'stepId',
  'issueId',
  'action',
  'resultClass',
  'instructionRefs',
  'witnessRefs',
  'lineageRefs',
  'startedAt',
  'finishedAt',
  'workerId',
  'attempt',
  'durationMs',
  'nextStep',
  'commands',
  'turn',
])

/** Parses a line. The line number is used in error messages. */
export function readStepLine(line: string, number: number): StepRow | BadStepRow {
  let raw: Json
  try {
    raw = JSON.parse(line)
  } catch {
    return new BadStepRow(whyNoJson(line, number))
  }
  return readStepRow(raw)
}

/** Much slower than `JSON.parse`, but reports the position of the error. */
function whyNoJson(line: string, number: number): string {
  try {
    parseJson(line, { line: number })
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
  return 'not readable as JSON'
}

/** Returns the row in normal form, or its first problem. */
export function readStepRow(raw: Json): StepRow | BadStepRow {
  if (!isJsonObject(raw)) return new BadStepRow('must be an object')
  const { schema } = raw as { readonly schema?: Json }
  if (schema !== 1) {
    return new BadStepRow(`schema mismatch (expected=1, actual=${JSON.stringify(schema)})`)
  }
  const reader = new MemberReader(raw)
  const kind = reader.text('stepKind')
  if (kind !== stepKind) {
    return new BadStepRow(`stepKind mismatch (expected=${stepKind}, actual=${kind})`)
  }
  const row = rowFrom(reader)
  const flaw = reader.flaw ?? timeFlaw('finishedAt', row) ?? timeFlaw('startedAt', row)
  return flaw === undefined ? row : new BadStepRow(flaw)
}

function rowFrom(reader: MemberReader): StepRow {
  return {
    stepId: reader.required('stepId'),
    ...reader.optional('issueId'),
    action: reader.required('action'),
    resultClass: reader.required('resultClass'),
    instructionRefs: reader.refs('instructionRefs'),
    witnessRefs: reader.refs('witnessRefs'),
    lineageRefs: reader.refs('lineageRefs'),
    ...reader.optional('startedAt'),
    finishedAt: reader.required('finishedAt'),
    ...reader.optional('workerId'),
    ...reader.count('attempt', 1),
    ...reader.count('durationMs', 0),
    ...reader.optional('nextStep'),
    ...reader.commands(),
    ...reader.turn(),
    others: reader.others(),
  }
}

/** Reads members one by one and keeps the first problem. */
class MemberReader {
  flaw: string | undefined
  readonly #raw: JsonObject

  constructor(raw: JsonObject) {
    this.#raw = raw
  }

  /** Trimmed. Empty if absent. */
  text(field: string): string {
    const value = this.#raw[field]
    if (typeof value === 'string') return trim(value)
    if (value !== undefined && value !== null) this.flaw ??= `${field} must be text`
    return ''
  }

  required(field: string): string {
    const value = this.text(field)
    if (value === '') this.flaw ??= `${field} must be non-empty`
    return value
  }

  optional<Field extends string>(field: Field): { readonly [F in Field]?: string } {
    const value = this.text(field)
    return value === '' ? nothing : ({ [field]: value } as { [F in Field]: string })
  }

  refs(field: string): readonly string[] {
    const value = this.#raw[field]
    if (value === undefined || value === null) return noRefs
    if (isTexts(value)) return cleanRefs(value)
    this.flaw ??= `${field} must be a list of text`
    return noRefs
  }

  count<Field extends string>(field: Field, least: number): { readonly [F in Field]?: number } {
    const value = this.#raw[field]
    if (value === undefined || value === null) return nothing
    if (isCount(value, least)) return { [field]: value } as { [F in Field]: number }
    this.flaw ??= `${field} must be a whole number from ${least}`
    return nothing
  }

  commands(): { readonly commands?: readonly StepCommand[] } {
    const value = this.#raw['commands']
    if (value === undefined || value === null) return nothing
    if (Array.isArray(value) && value.every(isCommand)) return { commands: value }
    this.flaw ??= 'commands must be a list of finished commands'
    return nothing
  }

  turn(): { readonly turn?: StepTurn } {
    const value = this.#raw['turn']
    if (value === undefined || value === null) return nothing
    if (isTurn(value)) return { turn: value }
    this.flaw ??= 'turn must be the verdict on the turns of the step'
    return nothing
  }

  /** Unknown members, which a newer version may have written. */
  others(): JsonObject {
    // The printer recurses as deep as the row.
    if (isDeeperThan(this.#raw, jsonDepthMax)) this.flaw ??= `nested deeper than ${jsonDepthMax}`
    const names = Object.keys(this.#raw).filter(name => !members.has(name))
    if (names.length === 0) return nothing
    return Object.fromEntries(names.map(name => [name, this.#raw[name] as Json]))
  }
}

const nothing = {}
const noRefs: readonly string[] = []

const isTexts = (value: Json | undefined): value is readonly string[] =>
  Array.isArray(value) && value.every(one => typeof one === 'string')

const isCount = (value: Json | undefined, least: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least

const roles: ReadonlySet<Json | undefined> = new Set([
  'startup',
  'before',
  'work',
  'verify',
  'transport',
])

function isCommand(value: Json | undefined): value is StepCommand & JsonObject {
  if (!isJsonObject(value)) return false
  const { role, commandDigest, exitCode, signal, durationMs, outputDigest } = value
  return (
    roles.has(role) &&
    typeof commandDigest === 'string' &&
    (exitCode === null || isCount(exitCode, 0)) &&
    (signal === undefined || typeof signal === 'string') &&
    isCount(durationMs, 0) &&
    typeof outputDigest === 'string'
  )
}

function isTurn(value: Json | undefined): value is StepTurn & JsonObject {
  if (!isJsonObject(value)) return false
  const { callSpecDigest, useSetDigest, joinSetDigest, joinClosed, mutationReady } = value
  return (
    isTexts([callSpecDigest, useSetDigest, joinSetDigest] as Json) &&
    typeof joinClosed === 'boolean' &&
    typeof mutationReady === 'boolean' &&
    isTexts(value['failureClasses'])
  )
}

function isDeeperThan(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some(one => isDeeperThan(one, levels - 1))
}

function timeFlaw(field: 'finishedAt' | 'startedAt', row: StepRow): string | undefined {
  const time = row[field]
  if (time === undefined || isCanonicalTimestamp(time) || instantOf(time) !== undefined) return
  return `${field} must be RFC3339: ${time}`
}

/** The line for the file, without its newline. */
export function printStepRow(row: StepRow): string {
  return JSON.stringify(stepDocument(row))
}

/** Members in the order of earlier tools, then our own. */
export function stepDocument(row: StepRow): JsonObject {
  const { others, instructionRefs, witnessRefs, lineageRefs, ...rest } = row
  const document = {
    schema: 1,
    stepKind,
    stepId: rest.stepId,
    issueId: rest.issueId,
    action: rest.action,
    resultClass: rest.resultClass,
    instructionRefs: instructionRefs.length > 0 ? instructionRefs : undefined,
    witnessRefs: witnessRefs.length > 0 ? witnessRefs : undefined,
    lineageRefs: lineageRefs.length > 0 ? lineageRefs : undefined,
    startedAt: rest.startedAt,
    finishedAt: rest.finishedAt,
    workerId: rest.workerId,
    attempt: rest.attempt,
    durationMs: rest.durationMs,
    nextStep: rest.nextStep,
    commands: rest.commands,
    turn: rest.turn,
    ...others,
  }
  const filled = Object.entries(document).filter(([, value]) => value !== undefined)
  return Object.fromEntries(filled) as unknown as JsonObject
}
