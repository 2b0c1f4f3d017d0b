/** The assertions of a case as a tree: groups of predicates over subjects. */
import type { Compiled } from '../lang/compile.ts'
import type { Scope } from '../lang/scope.ts'
import type { SpecValue } from '../lang/value.ts'

export const groupKinds = ['must', 'can', 'cannot'] as const
type GroupKind = (typeof groupKinds)[number]

export interface AssertGroup {
  readonly kind: GroupKind
  /** `assert[0].must[1]`. */
  readonly path: string
  readonly children: readonly AssertNode[]
  /** True for the predicates of a single leaf. */
  readonly isLeaf?: boolean
}

/** All assertions of a case or of a request. */
export interface AssertRoot extends AssertGroup {
  /** Every subject that a verdict may read. */
  readonly subjects: ReadonlySet<string>
}

/** One predicate over one subject. */
export interface AssertLeaf {
  readonly kind: 'leaf'
  readonly path: string
  readonly target: string
  /** The subject it reads: the target's, except for some shorthands. */
  readonly subject: string
  /** The written operator: `evaluate` or a shorthand. */
  readonly op: string
  /** The written operand, for messages. */
  readonly source: SpecValue
  /** Its index among the values of the operator. */
  readonly at: number
  /** The path of its operand: `assert[0].must[1].contain[0]`. */
  readonly place: string
  readonly predicate: Compiled
  /** The names it can see, for the values of its operands. */
  readonly scope: Scope
}

export type AssertNode = AssertGroup | AssertLeaf

/** In `cannot`, the values of one leaf must not all hold; a single one may. */
export const isJoinedIn = (group: AssertGroup, child: AssertNode): child is AssertGroup =>
  group.kind === 'cannot' && child.kind !== 'leaf' && child.isLeaf === true
