/** Explains a case: its chain, its predicates and its limits. */
import {
  type AssertLeaf,
  type AssertNode,
  isJoinedIn,
} from '../../kernel/spec/assert/assert-tree.ts'
import { compileAssert } from '../../kernel/spec/assert/compile-assert.ts'
import { shown } from '../../kernel/spec/assert/demand.ts'
import { noExpressions, type OwnExpressions } from '../../kernel/spec/assert/own-expressions.ts'
import { isSubjectError } from '../../kernel/spec/assert/subject.ts'
import { expressionFor, isSugarProblem } from '../../kernel/spec/assert/sugar.ts'
import { writtenText } from '../../kernel/spec/assert/written-value.ts'
import { missingCapabilities, requiresOf } from '../../kernel/spec/case/requires.ts'
import { isError, type Problem, type RawCase } from '../../kernel/spec/document/raw-case.ts'
import { curlLine } from '../../kernel/spec/http/curl-line.ts'
import { httpRequest, httpSetting, writtenRequests } from '../../kernel/spec/http/http-request.ts'
import type { Budget } from '../../kernel/spec/lang/budget.ts'
import { hiddenIn } from '../../kernel/spec/lang/hidden-value.ts'
import { printExpression } from '../../kernel/spec/lang/print-value.ts'
import { plainScope, type Scope } from '../../kernel/spec/lang/scope.ts'
import { isErrors, type SpecError } from '../../kernel/spec/lang/spec-error.ts'
import type { Secrets } from '../../kernel/text/secrets.ts'
import type { CaseOutcome } from '../../runner/case-outcome.ts'
import { caseHarnesses } from '../../runner/cases/index.ts'
import { buildExecutionContext } from '../../runner/execution-context.ts'
import type { Observation, Observer } from '../../runner/observation.ts'
import type { SpecProblem } from '../../wire/spec/spec-report.ts'
import type { OperationContext } from '../context.ts'
import { openRun, ownOffer, runSpecs } from './outcomes.ts'
import { problemJson } from './problems.ts'
import type { SpecInput } from './spec-input.ts'

export interface Explanation {
  readonly action: 'spec.explain'
  readonly id: string
  readonly title: string
  readonly type: string
  readonly file: string
  readonly line: number
  readonly column: number
  /** Problems that prevent it from running. */
  readonly problems: readonly SpecProblem[]
  readonly chain: readonly ExplainedStep[]
  /** All prerequisites, in order. */
  readonly before: readonly string[]
  /** Its HTTP requests as curl commands, with templates as written. */
  readonly requests: readonly string[]
  /** Subjects that its predicates look at. */
  readonly targets: readonly string[]
  readonly budget: Budget | null
  readonly capabilities: {
    readonly required: readonly string[]
    readonly missing: readonly string[]
    readonly whenMissing: 'fail' | 'skip'
  }
  readonly predicates: readonly ExplainedPredicate[]
}

export interface ExplainedStep {
  readonly id: string
  readonly runs: readonly string[]
  readonly exports: readonly { readonly name: string; readonly from: string }[]
  readonly allowContinue: boolean
}

export interface ExplainedPredicate {
  readonly assertPath: string
  readonly target: string
  /** The written operator: `evaluate` or a shorthand. */
  readonly op: string
  readonly expression: string
  /** In a `cannot`, the number of values that fail only together; otherwise 1. */
  readonly joined: number
  /** Possible errors during evaluation. */
  readonly doubts: readonly string[]
}

interface Explained {
  readonly explanation: Explanation
  readonly problems: readonly Problem[]
}

/** Does not run the case. */
export async function explainCase(
  raw: RawCase,
  specs: SpecInput,
  world: OperationContext,
): Promise<Explained> {
  const { graph, problemsOf } = specs
  const shape = problemsOf(raw).filter(isError)
  const built = shape.length > 0 ? [] : await builtContext(raw, specs, world)
  const context = isErrors(built) ? undefined : built
  const scope = context?.scope ?? plainScope
  const { root, errors } = compileAssert(raw.value.get('assert'), scope)
  const found = isErrors(built) ? built : [...errors, ...ownExpressions(raw, scope).errors]
  const problems = shape.length > 0 ? shape : found.map(one => problemOf(one, raw))
  const leaves = leavesOf(root)
  const requires = requiresOf(raw)
  const title = raw.value.get('title')
  const { id, type, file, line, column } = raw
  const explanation: Explanation = {
    action: 'spec.explain',
    id,
    title: typeof title === 'string' ? title : '',
    type,
    file,
    line,
    column,
    problems: problems.map(problemJson),
    chain: graph.stepsOf(raw).map(({ step, cases }) => ({
      id: step.id,
      runs: cases.map(nameOf),
      exports: step.exports.map(({ name, fromTarget, path }) => ({
        name,
        from: [fromTarget, ...path].join('.'),
      })),
      allowContinue: step.allowContinue,
    })),
    before: graph.prerequisitesOf(raw).map(nameOf),
    requests: shape.length > 0 ? [] : requestLines(raw),
    targets: [...new Set(leaves.map(({ subject }) => subject))],
    budget: context?.budget ?? null,
    capabilities: {
      required: requires.capabilities,
      missing: missingCapabilities(requires, ownOffer.capabilities),
      whenMissing: requires.whenMissing,
    },
    predicates: joinedLeavesOf(root).map(explainedLeaf),
  }
  return { explanation, problems }
}

/** The expressions of single requests. */
export const ownExpressions = ({ type, value }: RawCase, scope: Scope): OwnExpressions =>
  caseHarnesses.get(type)?.expressions?.(value, scope) ?? noExpressions

async function builtContext(raw: RawCase, specs: SpecInput, world: OperationContext) {
  const run = openRun(specs, { offer: ownOffer }, world)
  try {
    return await buildExecutionContext(raw, run)
  } finally {
    run.close()
  }
}

function requestLines({ type, value }: RawCase): readonly string[] {
  if (type !== 'api.http') return []
  const setting = httpSetting(value)
  return writtenRequests(value).map(({ id, value: request }) => {
    const line = curlLine(httpRequest(request, setting), setting)
    return id === undefined ? line : `${id}: ${line}`
  })
}

const nameOf = ({ file, id }: RawCase) => `${file}#${id}`

export const leavesOf = (node: AssertNode): readonly AssertLeaf[] =>
  node.kind === 'leaf' ? [node] : node.children.flatMap(leavesOf)

/** Each with the number of values that fail only together with it. */
function joinedLeavesOf(node: AssertNode, joined = 1): readonly JoinedLeaf[] {
  if (node.kind === 'leaf') return [{ leaf: node, joined }]
  return node.children.flatMap(child =>
    joinedLeavesOf(child, isJoinedIn(node, child) ? child.children.length : joined),
  )
}

interface JoinedLeaf {
  readonly leaf: AssertLeaf
  readonly joined: number
}

const expressionHint = 'An expression is a mapping of one operator to the list of its arguments.'

/** A problem of an expression or of the libraries that it needs, with its place. */
export function problemOf({ message, path = '', hint }: SpecError, raw: RawCase): Problem {
  const shown = hint ?? (path.startsWith('harness.spec_lang') ? undefined : expressionHint)
  return {
    place: raw.placeOf(path),
    code: 'lint.expression',
    message,
    ...(shown !== undefined && { hint: shown }),
  }
}

function explainedLeaf({ leaf, joined }: JoinedLeaf): ExplainedPredicate {
  const { place, op, source, subject, target, predicate } = leaf
  const expression = expressionFor(op, source, subject)
  return {
    assertPath: place,
    target,
    op,
    expression: isSugarProblem(expression) ? '' : printExpression(expression),
    joined,
    doubts: predicate.doubts.map(({ message }) => message),
  }
}

/** The outcome of a run, with its subjects. */
export interface Ran extends Partial<Sighting> {
  readonly status: CaseOutcome['status']
  /** True if it passes because it failed as its `expect` says. */
  readonly failedAsExpected?: true
  readonly category: string | null
  readonly message: string | null
}

/** Absent if nothing ran. */
interface Sighting {
  readonly subjects: Readonly<Record<string, string>>
  readonly demands: readonly {
    readonly name: string
    readonly expected: string
    readonly actual: string
  }[]
  /** Per predicate: why it fails, or null. */
  readonly failures: readonly (string | null)[]
}

interface Asked {
  readonly specs: SpecInput
  /** Values of `{{var.name}}`. */
  readonly variables: ReadonlyMap<string, string>
}

export async function ranCase(
  raw: RawCase,
  { specs, variables }: Asked,
  world: OperationContext,
): Promise<Ran | undefined> {
  let sighting: Sighting | undefined
  const observer: Observer = async (one, seen) => {
    if (one === raw) sighting = await sightingOf(seen, world.secrets)
  }
  const base = { cases: [raw], offer: ownOffer, jobs: 1, failFast: false }
  const request = { ...base, observer, variables }
  const { outcomes } = await runSpecs(specs, request, world)
  const outcome = outcomes[0]?.outcome
  const failure = outcome?.failure ?? outcome?.expectedFailure
  return (
    outcome && {
      status: outcome.status,
      ...(outcome.expectedFailure && { failedAsExpected: true as const }),
      category: failure?.category ?? null,
      message: failure?.message ?? null,
      ...sighting,
    }
  )
}

async function sightingOf(
  { root, demands, subjectOf, failureOf }: Observation,
  secrets: Secrets,
): Promise<Sighting> {
  const leaves = leavesOf(root)
  const subjects: Record<string, string> = {}
  for (const target of new Set(leaves.map(({ subject }) => subject))) {
    const subject = await subjectOf(target)
    subjects[target] = isSubjectError(subject)
      ? `${subject.category}: ${subject.message}`
      : writtenText(hiddenIn(subject.value, secrets))
  }
  const failures = leaves.map(leaf => failureOf(leaf)?.message ?? null)
  const printed = demands.map(({ name, expected, actual }) => ({
    name,
    expected: shown(expected),
    actual: shown(actual),
  }))
  return { subjects, demands: printed, failures }
}
