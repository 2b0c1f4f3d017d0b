/** The subjects and verdicts of a case, for `spec explain` and `spec update`. */
import { type AssertGroup, type AssertNode, subjectsIn } from '../kernel/spec/assert/assert-tree.ts'
import type { Demand } from '../kernel/spec/assert/demand.ts'
import type { AssertFailure } from '../kernel/spec/assert/run-assert.ts'
import type { Subject } from '../kernel/spec/assert/subject.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { Subjects } from './cases/case-harness.ts'
import type { ExecutionContext } from './execution-context.ts'
import type { ResolvedSubjects } from './resolve-subject.ts'
import { failureAlone } from './run-assertions.ts'

export interface Observation {
  readonly root: AssertGroup
  readonly demands: readonly Demand[]
  subjectOf(target: string): Promise<Subject>
  /** Why this node fails on its own; `undefined` if it holds. */
  failureOf(node: AssertNode): AssertFailure | undefined
}

/** Called after the verdict, while the temporary folder still exists. */
export type Observer = (raw: RawCase, seen: Observation) => Promise<void>

export async function observation(
  root: AssertGroup,
  { demands = [] }: Subjects,
  resolved: ResolvedSubjects,
  context: ExecutionContext,
): Promise<Observation> {
  // A failed demand ends a run before its subjects are read.
  for (const target of subjectsIn(root)) await resolved.resolveSubjectForTarget(target)
  return {
    root,
    demands,
    subjectOf: target => resolved.resolveSubjectForTarget(target),
    failureOf: node => failureAlone(node, resolved, context),
  }
}
