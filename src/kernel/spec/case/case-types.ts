/** Every type of case. One line each; nothing else knows them all. */
import type { CaseType } from './case-type.ts'
import { cliRun } from './cli-run.ts'
import { specLangLibrary } from './spec-lang-library.ts'
import { textFile } from './text-file.ts'

const all = [cliRun, specLangLibrary, textFile]

export const caseTypes: ReadonlyMap<string, CaseType> = new Map(all.map(one => [one.type, one]))
