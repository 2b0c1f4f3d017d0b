/** Turns subjects into a verdict, for every type of case. */
import type { AssertGroup, AssertNode, AssertRoot } from '../kernel/spec/assert/assert-tree.ts'
import { unmetDemand } from '../kernel/spec/assert/demand.ts'
import { healthOf } from '../kernel/spec/assert/health.ts'
import { type AssertFailure, runAssert } from '../kernel/spec/assert/run-assert.ts'
import { defaultBudget } from '../kernel/spec/lang/budget.ts'
import type { ReadyCase, Subjects } from './cases/case-harness.ts'
import type { ExecutionContext } from './execution-context.ts'
import type { ResolvedSubjects } from './observation.ts'

interface Verdict {
  readonly failure: AssertFailure | undefined
  /** The number of predicates that were evaluated. */
  readonly evaluated: number
  /** Warnings about the assertions themselves. */
  readonly warnings: readonly string[]
}

/** Checks demands first, then assertion health, then the assertions. */
export async function runAssertionsWithContext(
  { raw }: ReadyCase,
  root: AssertRoot,
  { demands = [] }: Subjects,
  subjects: ResolvedSubjects,
  context: ExecutionContext,
): Promise<Verdict> {
  const { caseId, startTimer, regex, record } = context
  const { secrets } = context.run
  for (const [at, demand] of demands.entries()) {
    const setting = { caseId, budget: defaultBudget, startTimer, regex, secrets }
    const failure = unmetDemand(demand, setting)
    const { name, actual, path = name } = demand
    record?.decided({ path, target: name, op: 'eq' }, verdictOf(failure), { value: actual })
    if (failure) return { failure, evaluated: at + 1, warnings: [] }
  }
  const { failure: unhealthy, warnings } = judgeHealth(raw.value.get('assert'), context)
  if (unhealthy) return { failure: unhealthy, evaluated: demands.length, warnings }
  const { failure, evaluated } = await judgeTree(root, subjects, context)
  return { failure, evaluated: demands.length + evaluated, warnings }
}

/** Resolves the subjects of a tree and evaluates it. */
export async function judgeTree(
  root: AssertRoot,
  subjects: ResolvedSubjects,
  { caseId, startTimer, regex, budget, record, run: { secrets } }: ExecutionContext,
): Promise<Pick<Verdict, 'failure' | 'evaluated'>> {
  for (const target of root.subjects) {
    const found = subjects.resolveSubjectForTarget(target)
    if (found instanceof Promise) await found
  }
  const subjectOf = (target: string) => subjects.subjectOf(target)
  return runAssert(root, {
    caseId,
    subjectOf,
    offered: subjects.offered,
    secrets,
    budget,
    startTimer,
    regex,
    onDecided:
      record && ((leaf, subject, unmet) => record.decided(leaf, verdictOf(unmet), subject)),
  })
}

const verdictOf = (failure: AssertFailure | undefined) =>
  failure === undefined ? 'holds' : failure.category === 'assertion' ? 'fails' : 'error'

/** Evaluates one node over resolved subjects; `undefined` if it holds. */
export function assertionFailure(
  node: AssertNode,
  subjects: ResolvedSubjects,
  { caseId, budget, startTimer, regex, run: { secrets } }: ExecutionContext,
): AssertFailure | undefined {
  const root: AssertGroup = { kind: 'must', path: node.path, children: [node] }
  const subjectOf = (target: string) => subjects.subjectOf(target)
  const { offered } = subjects
  const setting = { caseId, subjectOf, offered, secrets, budget, startTimer, regex }
  return runAssert(root, setting).failure
}

function judgeHealth(
  assert: Parameters<typeof healthOf>[0],
  { caseId, healthMode }: ExecutionContext,
): Pick<Verdict, 'failure' | 'warnings'> {
  if (healthMode === 'ignore') return { failure: undefined, warnings: [] }
  const findings = healthOf(assert)
  const [first] = findings
  if (healthMode === 'warn' || first === undefined) {
    const warnings = findings.map(
      ({ code, path, message }) => `ASSERT_HEALTH ${code} at ${path}: ${message}`,
    )
    return { failure: undefined, warnings }
  }
  const list = findings.map(({ code, path }) => `${code}@${path}`).join('; ')
  const message = `[case_id=${caseId}] assertion health check failed (${findings.length} issue(s)): ${list}`
  return {
    failure: { category: 'assertion', message, assertPath: first.path, path: first.path },
    warnings: [],
  }
}
