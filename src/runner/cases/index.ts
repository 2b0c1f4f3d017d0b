/** What runs each type of case. One line each. */
import type { CaseHarness } from './case-harness.ts'
import { cliRunHarness } from './cli-run.ts'
import { textFileHarness } from './text-file.ts'

const all = [cliRunHarness, textFileHarness]

export const caseHarnesses: ReadonlyMap<string, CaseHarness> = new Map(
  all.map(one => [one.type, one]),
)
