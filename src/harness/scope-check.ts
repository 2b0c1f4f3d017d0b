/** Verifies the current scope at a start that has no start-up command, and leaves a witness of it. */
import { documentOf } from '../kernel/artifact/print.ts'
import { secondOf } from '../kernel/harness/artifact.ts'
import { allowancesOf } from '../kernel/issues/allowances.ts'
import type { Issue } from '../kernel/issues/issue.ts'
import { specsOf } from '../kernel/issues/issue-edit.ts'
import { ScopeWitness } from '../wire/harness/scope-witness.ts'
import type { StepCommand } from '../wire/harness/step-row.ts'
import type { Harness } from './harness.ts'
import type { StepFolder } from './step/step-folder.ts'

export interface ScopeOptions {
  /** The verify command of the project. */
  readonly verifyCommand?: string | undefined
  readonly verifyTimeoutMs: number
  /** Specs that verify the work of every issue. */
  readonly specs: readonly string[]
  /** Loads and lints specs. Returns the first errors, as text. */
  specErrors(paths: readonly string[]): Promise<readonly string[]>
}

/** What was verified. `none`: the project has no verify command, and the issue no specs. */
export interface VerifiedScope {
  readonly how: 'startup' | 'verify' | 'specs' | 'none'
  readonly passed: boolean
  readonly specs: readonly string[]
  readonly errors: readonly string[]
  readonly witnessRef: string
}

type Found = Omit<VerifiedScope, 'witnessRef'>

export const scopeOfCommand = (how: 'startup' | 'verify', passed: boolean): Found => ({
  how,
  passed,
  specs: [],
  errors: [],
})

/** An issue whose work writes its specs has none to check before. */
export async function scopeOfSpecs(
  { specs: common, specErrors }: ScopeOptions,
  issue: Issue | undefined,
): Promise<Found> {
  const own = issue && !allowancesOf(issue).writesSpecs ? specsOf(issue) : []
  const specs = [...new Set([...common, ...own])]
  if (specs.length === 0) return { how: 'none', passed: true, specs, errors: [] }
  const errors = await specErrors(specs)
  return { how: 'specs', passed: errors.length === 0, specs, errors }
}

export async function witnessScope(
  { clock, workerId }: Harness,
  folder: StepFolder,
  found: Found,
  { issueId, command }: { readonly issueId?: string | undefined; readonly command?: StepCommand },
): Promise<VerifiedScope> {
  await folder.make()
  const witness: ScopeWitness = {
    workerId,
    at: secondOf(clock.now()),
    issueId: issueId ?? null,
    how: found.how,
    passed: found.passed,
    specs: found.specs,
    errors: found.errors,
    command: command ?? null,
  }
  const witnessRef = await folder.write('scope.json', documentOf(ScopeWitness, witness))
  return { ...found, witnessRef }
}
