/** Every type of case, with its shape and its effect. One line each; nothing else lists them. */
import type { CaseType } from '../../kernel/spec/case/key-shape.ts'
import { apiHttp } from './api-http.ts'
import type { CaseHarness } from './case-harness.ts'
import { cliRun } from './cli-run.ts'
import { docsGenerate } from './docs-generate.ts'
import { orchestrationRun } from './orchestration-run.ts'
import { specLangLibrary } from './spec-lang-library.ts'
import { textFile } from './text-file.ts'

const all: readonly (CaseType | CaseHarness)[] = [
  apiHttp,
  cliRun,
  docsGenerate,
  orchestrationRun,
  specLangLibrary,
  textFile,
]

export const caseTypes: ReadonlyMap<string, CaseType> = new Map(all.map(one => [one.type, one]))

export const caseHarnesses: ReadonlyMap<string, CaseHarness> = new Map(
  all.flatMap(one => ('run' in one ? [[one.type, one] as const] : [])),
)

/** A library is read by other cases and never run. A case of an unknown type fails when it runs. */
export const isExecutable = ({ type }: { readonly type: string }): boolean =>
  caseHarnesses.has(type) || !caseTypes.has(type)
