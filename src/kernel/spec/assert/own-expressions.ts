/** The expressions of a case beside its `assert`, such as those of single requests. */
import type { Compiled } from '../lang/compile.ts'
import type { SpecError } from '../lang/spec-error.ts'
import type { SpecValue } from '../lang/value.ts'
import type { AssertGroup } from './assert-tree.ts'

export interface OwnExpressions {
  readonly asserts: readonly AssertGroup[]
  readonly conditions: readonly Condition[]
  readonly errors: readonly SpecError[]
}

interface Condition {
  readonly path: string
  /** As written. */
  readonly source: SpecValue
  readonly when: Compiled
}

export const noExpressions: OwnExpressions = { asserts: [], conditions: [], errors: [] }
