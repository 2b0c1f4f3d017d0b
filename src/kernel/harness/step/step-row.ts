/** One row of the trajectory: a finished step and its refs (HARNESS-RUNTIME §6). */
import { Fault } from '../../../fault.ts'
import { StepRow } from '../../../wire/harness/step-row.ts'
import { Flaw } from '../../artifact/flaw.ts'
import { documentOf } from '../../artifact/print.ts'
import { readAs } from '../../artifact/read.ts'
import { type Json, jsonDepthMax, parseJson } from '../../json.ts'
import { clip } from '../../text/clean.ts'

/** The action of a row about an attempt. */
export const stepAction = 'harness.step'
/** The action of a handoff row, which is not an attempt. */
export const stopAction = 'harness.stop'
export const trajectoryPathDefault = '.premath/harness_trajectory.jsonl'

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

/** Returns the row in normal form, or its first flaw. */
export function readStepRow(raw: Json): StepRow | BadStepRow {
  // The printer of a row recurses as deep as the row nests.
  if (isDeeperThan(raw, jsonDepthMax)) return new BadStepRow(`nested deeper than ${jsonDepthMax}`)
  const row = readAs(StepRow, raw, { nullIsAbsent: true })
  return row instanceof Flaw ? new BadStepRow(String(row)) : row
}

function isDeeperThan(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  return Object.values(value).some(one => isDeeperThan(one, levels - 1))
}

/** Prints the row as a line of the file, without the newline. */
export const printStepRow = (row: StepRow): string => JSON.stringify(documentOf(StepRow, row))

/** Rows of other tools may hold anything there. */
export const failureClassesIn = ({ failureClasses }: StepRow): readonly string[] =>
  Array.isArray(failureClasses) ? failureClasses.filter(name => typeof name === 'string') : []
