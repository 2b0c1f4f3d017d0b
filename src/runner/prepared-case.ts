/** What the runs of a case have in common: its setting, its assertions and the plan of its harness. */
import type { AssertRoot } from '../kernel/spec/assert/assert-tree.ts'
import { compileAssert } from '../kernel/spec/assert/compile-assert.ts'
import { failureOf } from '../kernel/spec/case/check-case.ts'
import { isError, type RawCase } from '../kernel/spec/document/raw-case.ts'
import { isErrors, type SpecError } from '../kernel/spec/lang/spec-error.ts'
import { unknownVariables } from '../kernel/spec/template/check-templates.ts'
import { hasTemplate } from '../kernel/spec/template/template.ts'
import type { CaseFailure } from './case-outcome.ts'
import { type CaseSetting, settingOf } from './execution-context.ts'
import type { SpecRun } from './spec-run.ts'

export interface PreparedCase {
  readonly setting: CaseSetting
  readonly root: AssertRoot
  /** True if the chain and the variables change nothing in the case. */
  readonly isFixed: boolean
  /** What the harness planned for a fixed case. */
  plan: object | SpecError | undefined
}

/** Prepares cases. Each is prepared once if the run repeats its cases, and otherwise not kept. */
export class PreparedCases {
  readonly #kept: Map<RawCase, Promise<PreparedCase | CaseFailure>> | undefined

  constructor(isRepeated: boolean) {
    this.#kept = isRepeated ? new Map() : undefined
  }

  of(raw: RawCase, run: SpecRun): Promise<PreparedCase | CaseFailure> {
    const known = this.#kept?.get(raw)
    if (known !== undefined) return known
    const made = prepare(raw, run)
    this.#kept?.set(raw, made)
    return made
  }
}

async function prepare(raw: RawCase, run: SpecRun): Promise<PreparedCase | CaseFailure> {
  const problems = run.problemsOf(raw).filter(isError)
  if (problems.length > 0) return { ...failureOf(problems), problems }
  const unknown = unknownVariables(raw, [...run.variables.keys()])
  if (unknown.length > 0) return together(unknown)
  const setting = await settingOf(raw, run)
  if (isErrors(setting)) return together(setting)
  const { root, errors } = compileAssert(raw.value.get('assert'), setting.scope)
  if (errors.length > 0) return together(errors)
  return { setting, root, isFixed: !hasTemplate(raw.value), plan: undefined }
}

/** Reports all mistakes at once, at the place of the first. */
function together(errors: readonly SpecError[]): CaseFailure {
  const [first] = errors
  return {
    category: first?.category ?? 'schema',
    message: errors.map(({ message }) => message).join('; '),
    ...(first?.path !== undefined && { path: first.path }),
    ...(first?.hint !== undefined && { hint: first.hint }),
  }
}
