/** A case that can be run, as lint looks at it. */
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
  /** The names that its expressions see. */
  readonly scope: Scope
  /** How parts of them that need no subject are evaluated. */
  readonly evaluation: Omit<Evaluation, 'subject'>
  /** Whether the chain of another case runs it. */
  readonly isNeeded: boolean
}

export type Warning = Omit<ShapeProblem, 'severity'>

export const placeOf = ({ path, op, at }: AssertLeaf) => `${path}.${op}[${at}]`
