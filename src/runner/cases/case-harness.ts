/** The effect of one type of case. It returns subjects and never asserts. */

import type { Demand } from '../../kernel/spec/assert/demand.ts'
import type { OwnExpressions } from '../../kernel/spec/assert/own-expressions.ts'
import type { AssertFailure } from '../../kernel/spec/assert/run-assert.ts'
import type { Subject } from '../../kernel/spec/assert/subject.ts'
import type { CaseType } from '../../kernel/spec/case/key-shape.ts'
import type { RawCase } from '../../kernel/spec/document/raw-case.ts'
import type { Offered } from '../../kernel/spec/lang/builtin.ts'
import type { Scope } from '../../kernel/spec/lang/scope.ts'
import type { SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { SpecValue } from '../../kernel/spec/lang/value.ts'
import type { ExecutionContext } from '../execution-context.ts'

/** A case with a valid shape and its templates filled. */
export interface ReadyCase<Plan extends object = object> {
  readonly raw: RawCase
  readonly value: ReadonlyMap<string, SpecValue>
  readonly plan: Plan
}

/** Called at most once, when an assertion needs the subject. */
export type SubjectSource = () => Subject | Promise<Subject>

/** A map of them, or something that makes each when it is asked for. */
export interface SubjectSources {
  get(target: string): SubjectSource | undefined
}

/** The results of a run that assertions can look at. */
export interface Subjects {
  readonly byTarget: SubjectSources
  /** Requirements of the case beside its assertions, such as an exit code. */
  readonly demands?: readonly Demand[]
  /** A warning if no assertion looks at one of the targets. */
  readonly overlooked?: { readonly targets: readonly string[]; readonly message: string }
  /** A line that helps to repeat what ran, for the message of a failure. */
  readonly note?: (() => string) | undefined
  /** The number of predicates that were evaluated while the case ran. */
  readonly evaluated?: number
  /** Values for expressions, by the names that the harness declares. */
  readonly offered?: Offered
  /** Adds to a failed assertion what may explain it, such as the output of a service. */
  explain?(failure: AssertFailure): AssertFailure
}

/** A type of case that can be run. */
export interface CaseHarness<Plan extends object = object> extends CaseType {
  /**
   * Keys whose templates the harness fills itself, because it knows their values only while it
   * runs.
   */
  readonly fills?: readonly string[]
  /** Compiles the expressions that only this type has. */
  expressions?(value: ReadyCase['value'], scope: Scope): OwnExpressions
  /**
   * Decides what follows from the texts of a case and from nothing else. The runs of a case without
   * templates share one plan.
   */
  plan?(value: ReadyCase['value'], context: ExecutionContext): Plan | SpecError
  run(ready: ReadyCase<Plan>, context: ExecutionContext): Promise<Subjects | SpecError>
}

export const isSpecErrorOf = (found: object): found is SpecError => 'category' in found
