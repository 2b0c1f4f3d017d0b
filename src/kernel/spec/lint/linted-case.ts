/** The input of lint: a valid, compiled case. */
import type { AssertGroup, AssertLeaf } from '../assert/assert-tree.ts'
import type { OwnExpressions } from '../assert/own-expressions.ts'
import type { ShapeProblem } from '../case/check-shape.ts'
import type { RawCase } from '../document/raw-case.ts'
import type { Evaluation } from '../lang/evaluate.ts'
import type { Scope } from '../lang/scope.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'

export interface LintedCase {
  readonly raw: RawCase
  readonly root: AssertGroup
  /** All of its predicates, those of single requests too. */
  readonly leaves: readonly AssertLeaf[]
  readonly conditions: OwnExpressions['conditions']
  /** The names its expressions can use. */
  readonly scope: Scope
  /** Settings to evaluate parts without a subject. */
  readonly evaluation: Omit<Evaluation, 'subject'>
  /** True if another case's chain runs it. */
  readonly isNeeded: boolean
}

export type Warning = Omit<ShapeProblem, 'severity'>

export const placeOf = ({ place }: AssertLeaf) => place

/** Collects operator and variable names in expressions, bound or not. */
export function usedNames(value: SpecValue, found = new Set<string>()): ReadonlySet<string> {
  if (isList(value)) for (const item of value) usedNames(item, found)
  if (!isMapping(value)) return found
  for (const [key, one] of value) {
    found.add(key)
    if (key === 'var' && typeof one === 'string') found.add(one)
    else usedNames(one, found)
  }
  return found
}
