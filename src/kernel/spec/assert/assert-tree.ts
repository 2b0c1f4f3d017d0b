/** What a case asserts, as a tree: groups of predicates over subjects. */
import type { Compiled } from '../lang/compile.ts'
import type { SpecValue } from '../lang/value.ts'

export const groupKinds = ['must', 'can', 'cannot'] as const
export type GroupKind = (typeof groupKinds)[number]

export interface AssertGroup {
  readonly kind: GroupKind
  /** `assert[0].must[1]`. */
  readonly path: string
  readonly children: readonly AssertNode[]
  /** Predicates that were written as one leaf. */
  readonly isLeaf?: boolean
}

/** One predicate over one subject. */
export interface AssertLeaf {
  readonly kind: 'leaf'
  readonly path: string
  readonly target: string
  /** The subject that is looked at; that of the target but for some sugar. */
  readonly subject: string
  /** As it was written: `evaluate`, or the sugar for it. */
  readonly op: string
  /** What was written, for messages. */
  readonly source: SpecValue
  /** Its number among those of its operator. */
  readonly at: number
  readonly predicate: Compiled
}

export type AssertNode = AssertGroup | AssertLeaf

/** Whether values of one leaf must not all hold: one of them alone may. */
export const isJoinedIn = (group: AssertGroup, child: AssertNode): child is AssertGroup =>
  group.kind === 'cannot' && child.kind !== 'leaf' && child.isLeaf === true

/** Every subject that a verdict may look at. */
export function subjectsIn(node: AssertNode, found = new Set<string>()): ReadonlySet<string> {
  if (node.kind === 'leaf') found.add(node.subject)
  else for (const child of node.children) subjectsIn(child, found)
  return found
}
