/** The input of lint: a valid, compiled case. */
import type { AssertGroup, AssertLeaf } from '../assert/assert-tree.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import type { RawCase } from '../document/raw-case.ts'
import type { Evaluation } from '../lang/evaluate.ts'
import type { Scope } from '../lang/scope.ts'

export interface LintedCase {
  readonly raw: RawCase
  readonly root: AssertGroup
  /** All of its predicates. */
  readonly leaves: readonly AssertLeaf[]
  /** The names its expressions can use. */
  readonly scope: Scope
  /** Settings to evaluate parts without a subject. */
  readonly evaluation: Omit<Evaluation, 'subject'>
  /** True if another case's chain runs it. */
  readonly isNeeded: boolean
}

export type Warning = Omit<ShapeProblem, 'severity'>

export const placeOf = ({ path, op, at }: AssertLeaf) => `${path}.${op}[${at}]`
