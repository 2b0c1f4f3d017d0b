/** What came of running a case. */
import type { Subject } from '../kernel/spec/assert/subject.ts'
import type { Problem } from '../kernel/spec/document/problem.ts'
import type { SpecError } from '../kernel/spec/lang/spec-error.ts'
import type { CaseRecord } from './case-record.ts'
import type { TraceRow } from './run-chain.ts'

export interface CaseFailure extends SpecError {
  readonly assertPath?: string
  readonly target?: string
  readonly op?: string
  /** What is wrong with the case itself, where that is why. */
  readonly problems?: readonly Problem[]
  /** The run was ended before the case was decided. */
  readonly stopped?: true
}

export interface CaseOutcome {
  readonly status: 'pass' | 'fail' | 'skip'
  readonly failure?: CaseFailure
  /** How many predicates were decided. */
  readonly evaluated: number
  readonly warnings: readonly string[]
  /** What its chain ran. */
  readonly trace: readonly TraceRow[]
  /** Without its chain. */
  readonly durationMs: number
  /** Subjects that chains of other cases take from. */
  readonly exported: ReadonlyMap<string, Subject>
  /** Where the run records what is done. */
  readonly record?: CaseRecord
}

export const nothingExported: CaseOutcome['exported'] = new Map()
