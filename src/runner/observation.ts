/** What a run of a case saw, for whoever explains it or takes over what was there. */
import type { AssertGroup, AssertLeaf } from '../kernel/spec/assert/assert-tree.ts'
import type { Demand } from '../kernel/spec/assert/demand.ts'
import { type AssertFailure, runAssert } from '../kernel/spec/assert/run-assert.ts'
import type { Subject } from '../kernel/spec/assert/subject.ts'
import type { RawCase } from '../kernel/spec/document/raw-case.ts'
import type { Subjects } from './case-harness.ts'
import type { ExecutionContext } from './execution-context.ts'
import type { ResolvedSubjects } from './resolve-subject.ts'

export interface Observation {
  readonly root: AssertGroup
  readonly demands: readonly Demand[]
  subjectOf(target: string): Promise<Subject>
  /** Why this predicate does not hold, asked on its own; `undefined` where it does. */
  failureOf(leaf: AssertLeaf): Promise<AssertFailure | undefined>
}

/** Called when the verdict is known, while the temporary folder is still there. */
export type Observer = (raw: RawCase, seen: Observation) => Promise<void>

export function observation(
  root: AssertGroup,
  { demands = [] }: Subjects,
  resolved: ResolvedSubjects,
  { caseId, budget, now, regex }: ExecutionContext,
): Observation {
  return {
    root,
    demands,
    subjectOf: target => resolved.resolveSubjectForTarget(target),
    async failureOf(leaf) {
      await resolved.resolveSubjectForTarget(leaf.subject)
      const alone: AssertGroup = { kind: 'must', path: leaf.path, children: [leaf] }
      const subjectOf = (target: string) => resolved.subjectOf(target)
      return runAssert(alone, { caseId, subjectOf, budget, now, regex }).failure
    },
  }
}
