/** The setting of one case: limits, names, chain, folders and the run it belongs to. */
import { type HealthMode, healthModes } from '../kernel/spec/assert/health.ts'
import { type Environment, healthVariable } from '../kernel/spec/case/environment.ts'
import { mappingIn, requiresOf, textsIn } from '../kernel/spec/case/requires.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import { type Budget, defaultBudget, readBudget } from '../kernel/spec/lang/budget.ts'
import { readImports } from '../kernel/spec/lang/imports.ts'
import { caseScope, visibleSymbols } from '../kernel/spec/lang/library.ts'
import type { StartTimer } from '../kernel/spec/lang/meter.ts'
import type { Regex } from '../kernel/spec/lang/regex.ts'
import { commonValues, plainScope, type Scope } from '../kernel/spec/lang/scope.ts'
import { isErrors, type SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { TemplateValues } from '../kernel/spec/template/fill-templates.ts'
import type { CaseRecord } from './case-record.ts'
import type { LoadedDocument } from './load-documents.ts'
import { type ChainRun, noChain } from './run-chain.ts'
import type { SpecRun } from './spec-run.ts'
import { OwnFolder, type TemporaryFolder } from './temporary-folder.ts'

export interface ExecutionContext {
  readonly caseId: string
  readonly type: string
  readonly budget: Budget
  readonly scope: Scope
  readonly now: () => number
  readonly startTimer: StartTimer
  readonly regex: Regex
  readonly healthMode: HealthMode
  readonly document: LoadedDocument
  /** The environment a command of the case inherits. */
  readonly env: Environment
  readonly safeMode: boolean
  readonly chain: ChainRun
  readonly temporaryFolder: TemporaryFolder
  /** The recorder of this run. */
  readonly record: CaseRecord | undefined
  readonly run: SpecRun
}

/** The part that all runs of a case have in common. */
export interface CaseSetting extends Language {
  readonly healthMode: HealthMode
}

/** The part that each run of a case has for itself. */
interface OneRun {
  readonly chain?: ChainRun
  readonly temporaryFolder?: TemporaryFolder
  readonly record?: CaseRecord | undefined
}

/** The context of a case that has not run. */
export async function buildExecutionContext(
  raw: RawCase,
  run: SpecRun,
): Promise<ExecutionContext | readonly SpecError[]> {
  const setting = await settingOf(raw, run)
  return isErrors(setting) ? setting : contextOf(raw, setting, run)
}

export async function settingOf(
  raw: RawCase,
  run: SpecRun,
): Promise<CaseSetting | readonly SpecError[]> {
  const healthMode = healthModeOf(raw, run)
  if (typeof healthMode !== 'string') return healthMode
  const language = await languageOf(raw, run.documentOf(raw), run)
  if (isErrors(language)) return language
  const { budget, scope } = language
  return { budget, scope, healthMode }
}

export const contextOf = (
  raw: RawCase,
  setting: CaseSetting,
  run: SpecRun,
  { chain = noChain, temporaryFolder = new OwnFolder(run.world), record }: OneRun = {},
): ExecutionContext => ({
  // Copied by name: V8 is slow at objects that start with a spread.
  budget: setting.budget,
  scope: setting.scope,
  caseId: raw.id,
  type: raw.type,
  now: run.now,
  startTimer: run.world.startTimer,
  regex: run.regex,
  healthMode: setting.healthMode,
  document: run.documentOf(raw),
  env: run.inheritedEnv,
  safeMode: run.safeMode,
  chain,
  temporaryFolder,
  record,
  run,
})

/** For every text of a case. A scenario adds the steps that it has run. */
export const templateValues = ({
  chain,
  run,
}: Pick<ExecutionContext, 'chain' | 'run'>): TemplateValues => ({
  chain: chain.state,
  var: run.variables,
})

function healthModeOf({ value }: RawCase, run: SpecRun): HealthMode | readonly SpecError[] {
  const own = mappingIn(value, 'assert_health').get('mode')
  const mode = own ?? run.healthMode
  const known = healthModes.find(one => one === mode)
  if (known !== undefined) return known
  const whose = own === undefined ? healthVariable : 'assert_health.mode'
  const message = `${whose} must be one of ${healthModes.join(', ')}`
  return [{ category: 'schema', message, path: 'assert_health.mode' }]
}

interface Language {
  readonly budget: Budget
  readonly scope: Scope
}

/** Shared by the many cases without settings of their own. */
const usualLanguage: Language = { budget: defaultBudget, scope: plainScope }

async function languageOf(
  raw: RawCase,
  document: LoadedDocument,
  run: SpecRun,
): Promise<Language | readonly SpecError[]> {
  const config = mappingIn(mappingIn(raw.value, 'harness'), 'spec_lang')
  const values = [...commonValues, ...(run.harnesses.get(raw.type)?.values ?? [])]
  if (config.size === 0) {
    return values.length > commonValues.length
      ? { ...usualLanguage, scope: { ...plainScope, values } }
      : usualLanguage
  }
  const budget = readBudget(config)
  if (isErrors(budget)) return budget
  const aliases = readImports(config.get('imports'), 'harness.spec_lang.imports')
  if (isErrors(aliases)) return aliases
  const library = await run.libraries.linked({
    root: document.root,
    includes: textsIn(config, 'includes'),
    budget,
    references: mappingIn(config, 'references'),
    required: requiresOf(raw).capabilities,
  })
  if (isErrors(library)) return library
  const exports = config.has('exports') ? textsIn(config, 'exports') : undefined
  const symbols = visibleSymbols(library, exports)
  if (isErrors(symbols)) return symbols
  return { budget, scope: caseScope(aliases, symbols, values) }
}
