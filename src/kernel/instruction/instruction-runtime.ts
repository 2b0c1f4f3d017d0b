/** The record of one run of an instruction: its time and the result of each check. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts'
import { instantOf } from '../timestamp.ts'
import { isGiven, type Member, textOf, textsOf } from './instruction-field.ts'
import { allRead, type InstructionRefusal, isRefused, refused } from './instruction-refusal.ts'

export interface CheckResult {
  readonly checkId: string
  readonly status: string
  readonly exitCode: number
  readonly durationMs: number
  /** The failure class of a failed check, if known. */
  readonly failureClass?: string | undefined
  /** Digests of the check's command and of its output. */
  readonly commandDigest?: string | undefined
  readonly outputDigest?: string | undefined
}

/** The link from an instruction to the join witness of its turn. */
export interface JoinLink {
  readonly joinClosed: boolean
  readonly joinFailureClasses: readonly string[]
  readonly joinWitnessRef: string
}

export interface InstructionRuntime {
  readonly instructionId: string
  readonly instructionRef: string
  readonly instructionDigest: string
  readonly squeakSiteProfile: string
  readonly runStartedAt: string
  readonly runFinishedAt: string
  readonly runDurationMs: number
  readonly results: readonly CheckResult[]
  readonly join?: JoinLink
}

const bad = (why: string) => refused('instruction_runtime_invalid', why)
const member = (at: string): Member => ({ at, failureClass: 'instruction_runtime_invalid' })

export function readRuntime(value: Json): InstructionRuntime | InstructionRefusal {
  if (!isJsonObject(value)) return bad('the runtime is not an object')
  const text = (name: string) => textOf(value[name], member(name))
  const read = allRead({
    instructionId: text('instructionId'),
    instructionRef: text('instructionRef'),
    instructionDigest: text('instructionDigest'),
    squeakSiteProfile: text('squeakSiteProfile'),
    runStartedAt: timeOf(value, 'runStartedAt'),
    runFinishedAt: timeOf(value, 'runFinishedAt'),
    runDurationMs: countOf(value['runDurationMs'], 'runDurationMs'),
    results: resultsOf(value['results']),
    join: joinOf(value),
  })
  if (isRefused(read)) return read
  const { join, ...runtime } = read
  const [started, finished] = [instantOf(read.runStartedAt), instantOf(read.runFinishedAt)]
  if ((started ?? 0n) > (finished ?? 0n)) return bad('runFinishedAt is before runStartedAt')
  return { ...runtime, ...(join.length > 0 && { join: join[0] }) }
}

function timeOf(value: JsonObject, name: string) {
  const time = textOf(value[name], member(name))
  if (isRefused(time) || instantOf(time) !== undefined) return time
  return bad(`${name} is not an RFC 3339 time`)
}

function countOf(value: Json | undefined, at: string) {
  return Number.isSafeInteger(value) && Number(value) >= 0
    ? Number(value)
    : bad(`${at} is not a whole number from 0`)
}

function resultsOf(value: Json | undefined): readonly CheckResult[] | InstructionRefusal {
  if (!Array.isArray(value)) return bad('results is not a list')
  const read = (value as readonly Json[]).map((row, place) => resultOf(row, `results[${place}]`))
  return allRead(read)
}

function resultOf(row: Json, at: string): CheckResult | InstructionRefusal {
  if (!isJsonObject(row)) return bad(`${at} is not an object`)
  const { exitCode } = row
  const given = (name: string) =>
    isGiven(row, name) ? { [name]: textOf(row[name], member(`${at}.${name}`)) } : {}
  return allRead({
    checkId: textOf(row['checkId'], member(`${at}.checkId`)),
    status: textOf(row['status'], member(`${at}.status`)),
    exitCode: Number.isSafeInteger(exitCode)
      ? Number(exitCode)
      : bad(`${at}.exitCode is not a whole number`),
    durationMs: countOf(row['durationMs'], `${at}.durationMs`),
    ...given('failureClass'),
    ...given('commandDigest'),
    ...given('outputDigest'),
  }) as CheckResult | InstructionRefusal
}

/** All three members, or none. */
function joinOf(value: JsonObject): readonly [JoinLink?] | InstructionRefusal {
  const names = ['joinClosed', 'joinFailureClasses', 'joinWitnessRef']
  if (!names.some(name => isGiven(value, name))) return []
  const { joinClosed } = value
  const join = allRead({
    joinClosed: typeof joinClosed === 'boolean' ? joinClosed : bad('joinClosed is not a yes or no'),
    joinFailureClasses: textsOf(value['joinFailureClasses'], member('joinFailureClasses')),
    joinWitnessRef: textOf(value['joinWitnessRef'], member('joinWitnessRef')),
  })
  return isRefused(join) ? join : [join]
}
