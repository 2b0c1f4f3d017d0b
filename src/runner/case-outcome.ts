/** The outcome of running a case. */
import type { Subject } from '../kernel/spec/assert/subject.ts'
import type { Problem } from '../kernel/spec/document/raw-case.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { CaseRecord } from './case-record.ts'
import type { TraceRow } from './run-chain.ts'

export interface CaseFailure extends SpecError {
  readonly assertPath?: string
  readonly target?: string
  readonly op?: string
  /** Problems of the case itself, if they made it fail. */
  readonly problems?: readonly Problem[]
  /** The run ended before the case got a verdict. */
  readonly stopped?: true
}

export interface CaseOutcome {
  readonly status: 'pass' | 'fail' | 'skip'
  readonly failure?: CaseFailure
  /** The number of predicates that were evaluated. */
  readonly evaluated: number
  readonly warnings: readonly string[]
  /** The cases that its chain ran. */
  readonly trace: readonly TraceRow[]
  /** Excludes the chain. */
  readonly durationMs: number
  /** Subjects that other cases export through their chains. */
  readonly exported: ReadonlyMap<string, Subject>
  /** The recorder of this run. */
  readonly record?: CaseRecord
}

export const nothingExported: CaseOutcome['exported'] = new Map()
