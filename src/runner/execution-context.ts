/** What a case runs in: its limits and names, its chain, its folders, and the run around it. */
import type { HealthMode } from '../kernel/spec/assert/health.ts'
import { healthModes } from '../kernel/spec/assert/health.ts'
import {
  type Environment,
  healthVariable,
  inheritedEnvironment,
  isSafeMode,
} from '../kernel/spec/case/environment.ts'
import { mappingIn, requiresOf, textsIn } from '../kernel/spec/case/requires.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import { type Budget, readBudget } from '../kernel/spec/lang/budget.ts'
import type { Builtin } from '../kernel/spec/lang/builtin.ts'
import { readImports } from '../kernel/spec/lang/imports.ts'
import { caseScope, type Library, visibleSymbols } from '../kernel/spec/lang/library.ts'
import type { Regex } from '../kernel/spec/lang/regex.ts'
import { plainScope, type Scope } from '../kernel/spec/lang/scope.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { LoadedDocument } from './load-documents.ts'
import { type ChainRun, noChain } from './run-chain.ts'
import type { SpecRun } from './spec-run.ts'
import { TemporaryFolder } from './temporary-folder.ts'

export interface ExecutionContext {
  readonly caseId: string
  readonly type: string
  readonly budget: Budget
  readonly scope: Scope
  readonly now: () => number
  readonly regex: Regex
  readonly healthMode: HealthMode
  readonly document: LoadedDocument
  /** What a command of the case inherits. */
  readonly env: Environment
  readonly safeMode: boolean
  readonly chain: ChainRun
  readonly temporaryFolder: TemporaryFolder
  readonly run: SpecRun
}

/** Everything but the chain, which is run when all of this is right. */
export async function buildExecutionContext(
  raw: RawCase,
  run: SpecRun,
): Promise<ExecutionContext | readonly SpecError[]> {
  const document = run.documentOf(raw)
  const healthMode = healthModeOf(raw, run.world.env)
  const language = await languageOf(raw, document, run)
  const errors = [healthMode, language].flatMap(one => (Array.isArray(one) ? one : []))
  if (errors.length > 0) return errors as readonly SpecError[]
  const { budget, scope } = language as Language
  return {
    caseId: raw.id,
    type: raw.type,
    budget,
    scope,
    now: run.now,
    regex: run.regex,
    healthMode: healthMode as HealthMode,
    document,
    env: inheritedEnvironment(run.world.env),
    safeMode: isSafeMode(run.world.env),
    chain: noChain,
    temporaryFolder: new TemporaryFolder(run.world),
    run,
  }
}

function healthModeOf({ value }: RawCase, env: Environment): HealthMode | SpecError[] {
  const own = mappingIn(value, 'assert_health').get('mode')
  const mode = own ?? (env[healthVariable]?.trim() || 'ignore')
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

async function languageOf(
  raw: RawCase,
  document: LoadedDocument,
  run: SpecRun,
): Promise<Language | readonly SpecError[]> {
  const config = mappingIn(mappingIn(raw.value, 'harness'), 'spec_lang')
  const budget = readBudget(config)
  if (Array.isArray(budget)) return budget
  if (config.size === 0) return { budget: budget as Budget, scope: plainScope }
  const aliases = readImports(config.get('imports'), 'harness.spec_lang.imports')
  if (Array.isArray(aliases)) return aliases
  const library = await run.libraries.linked({
    root: document.root,
    includes: textsIn(config, 'includes'),
    budget: budget as Budget,
    references: mappingIn(config, 'references'),
    required: requiresOf(raw).capabilities,
  })
  if (Array.isArray(library)) return library
  const exports = config.has('exports') ? textsIn(config, 'exports') : undefined
  const symbols = visibleSymbols(library as Library, exports)
  if (Array.isArray(symbols)) return symbols
  const scope = caseScope(aliases as ReadonlyMap<string, Builtin>, symbols as Library['symbols'])
  return { budget: budget as Budget, scope }
}
