/** Renders the result of a spec run. */

import type { Page } from '../../answer.ts'
import { caretText } from '../../kernel/spec/document/caret.ts'
import { isError, type Place, placeName } from '../../kernel/spec/document/raw-case.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import type { Witnessing } from '../../project/proofs/spec-witness.ts'
import type { SpecOutcomes } from '../../project/specs/outcomes.ts'
import { problemJson, problemText } from '../../project/specs/problems.ts'
import type { SpecInput } from '../../project/specs/spec-input.ts'
import { type CaseFailure, isFlaky } from '../../runner/case-outcome.ts'
import { disagreementText } from '../../runner/expectation.ts'
import type { PlannedOutcome } from '../../runner/run-plan.ts'
import type { SpecCaseResult, SpecCaseTrace, SpecReport } from '../../wire/spec/spec-report.ts'
import { inkedDiff } from './inked-diff.ts'

export function specReport(
  { outcomes, durationMs }: Pick<SpecOutcomes, 'outcomes' | 'durationMs'>,
  { documentProblems }: Pick<SpecInput, 'documentProblems'>,
): SpecReport {
  const results = outcomes.flatMap(resultOf)
  const count = (status: SpecCaseResult['status']) =>
    results.filter(one => one.status === status).length
  const problems = documentProblems.filter(isError)
  const failed = count('fail')
  const flaky = results.filter(one => one.flaky).length
  const expectedFailures = results.filter(one => one.expectedFailure).length
  const notRun = outcomes.length - results.length
  // A case that did not run is not a pass.
  const isGood = failed === 0 && notRun === 0 && problems.length === 0
  return {
    action: 'spec.run',
    result: isGood ? 'accepted' : 'rejected',
    total: outcomes.length,
    passed: count('pass'),
    ...(expectedFailures > 0 && { expectedFailures }),
    failed,
    skipped: count('skip'),
    notRun,
    ...(flaky > 0 && { flaky }),
    durationMs: rounded(durationMs),
    results,
    problems: problems.map(problemJson),
  }
}

/** `undefined`: none was wanted. */
export const witnessedReport = (report: SpecReport, witness: Witnessing | undefined): SpecReport =>
  witness === undefined ? report : { ...report, witness: 'path' in witness ? witness.path : null }

/** Finer than that is noise. */
export const rounded = (ms: number) => Math.round(ms * 1000) / 1000

export function resultOf({ raw, outcome, attempts }: PlannedOutcome): SpecCaseResult[] {
  if (outcome === undefined) return []
  const { id, type, file, line, column, value } = raw
  const { status, failure, evaluated, warnings, trace, durationMs } = outcome
  const title = value.get('title')
  const traced = outcome.record?.trace
  const at = failure && placeOf({ raw, outcome }, failure)
  return [
    {
      id,
      type,
      title: typeof title === 'string' ? title : '',
      file,
      line,
      column,
      status,
      category: failure?.category ?? null,
      message: failure?.message ?? null,
      ...hintOf(failure),
      ...(at && { at: { line: at.line, column: at.column } }),
      ...(failure?.assertPath !== undefined && { assertPath: failure.assertPath }),
      ...(failure?.target !== undefined && { target: failure.target }),
      ...(failure?.op !== undefined && { op: failure.op }),
      ...(failure?.diff && { diff: failure.diff.join('\n') }),
      ...(failure?.operands && { operands: [...failure.operands] }),
      ...(failure?.output && { output: failure.output }),
      ...(outcome.expectedFailure && { expectedFailure: expectedOf(outcome.expectedFailure) }),
      ...(failure?.disagreements && { disagreements: [...failure.disagreements] }),
      assertions: evaluated,
      warnings: [...warnings],
      chain: [...trace],
      durationMs: rounded(durationMs),
      ...(attempts && {
        attempts: attempts.map(one => ({ ...one, durationMs: rounded(one.durationMs) })),
      }),
      ...(isFlaky(attempts) && { flaky: true as const }),
      ...(traced && { trace: roundedTrace(traced) }),
    },
  ]
}

const expectedOf = ({ category, message }: CaseFailure) => ({ category, message })

/** Each hint once. */
function hintOf(failure: CaseFailure | undefined): { readonly hint?: string } {
  const { hint, problems = [] } = failure ?? {}
  const hints = new Set([hint, ...problems.map(one => one.hint)].filter(one => one !== undefined))
  return hints.size > 0 ? { hint: [...hints].join(' ') } : {}
}

const roundedTrace = (trace: SpecCaseTrace): SpecCaseTrace => ({
  ...trace,
  chain: trace.chain.map(one => ({ ...one, waitedMs: rounded(one.waitedMs) })),
  commands: trace.commands.map(one => ({ ...one, durationMs: rounded(one.durationMs) })),
  requests: trace.requests.map(one => ({ ...one, durationMs: rounded(one.durationMs) })),
})

/** In an assertion the operator is what a person looks for, not its arguments. */
function placeOf(
  { raw }: PlannedOutcome,
  { problems, path, assertPath }: CaseFailure,
): Place | undefined {
  const [first] = problems ?? []
  if (first !== undefined) return first.place
  if (path === undefined) return undefined
  return assertPath === undefined ? raw.placeOf(path) : raw.keyPlaceOf(path)
}

export function specRunPage(
  report: SpecReport,
  outcomes: readonly PlannedOutcome[],
  page: Page,
  witness?: Witnessing,
): string {
  const lines = [
    ...notableLines(report, outcomes, page),
    ...(report.written ?? []).map(path => `wrote ${visible(path)}`),
    summary(report, page),
    ...witnessLines(witness, page),
  ]
  return `${lines.join('\n')}\n`
}

/** The failed, flaky and other cases that a person should look at. */
export const notableLines = (
  report: SpecReport,
  outcomes: readonly PlannedOutcome[],
  page: Page,
): readonly string[] => [
  ...outcomes.flatMap(one => [
    ...failureLines(one, page),
    ...flakyLines(one, page),
    ...warningLines(one, page),
  ]),
  ...expectedLines(report, page),
]

const expectedShown = 10

/** A pass that is a failure must not go unnoticed. */
function expectedLines({ results }: SpecReport, page: Page): readonly string[] {
  const ids = results.filter(one => one.expectedFailure).map(({ id }) => id)
  if (ids.length === 0) return []
  const more = ids.length > expectedShown ? ` and ${ids.length - expectedShown} more` : ''
  const names = ids.slice(0, expectedShown).join(', ')
  return [page.ink('dim', visible(`failed as expected: ${names}${more}`))]
}

function witnessLines(witness: Witnessing | undefined, page: Page): readonly string[] {
  if (witness === undefined) return []
  const line = 'path' in witness ? `witness ${witness.path}` : `no witness: ${witness.why}`
  return [page.ink('dim', visible(line))]
}

const margin = '  '

function failureLines(one: PlannedOutcome, page: Page): readonly string[] {
  const failure = one.outcome?.failure
  if (failure === undefined) return []
  const place = placeOf(one, failure) ?? one.raw.placeOf('')
  const head = `${page.ink('red', 'FAIL')} ${page.ink('bold', visible(one.raw.id))}  ${visible(placeName(place))}`
  const body = visibleLines(failureText(one, page.columns - margin.length)).split('\n')
  const inked = body.map(line => inkedDiffLine(line, failure, page))
  return [head, ...inked.map(line => `${margin}${line}`), '']
}

/** How far a message indents its diff. */
const diffMargin = '    '

/** Colours a line of the message if it is one of its diff. */
function inkedDiffLine(line: string, { diff = [] }: CaseFailure, page: Page): string {
  if (diff.length === 0 || !line.startsWith(diffMargin)) return line
  const own = line.slice(diffMargin.length)
  return diff.some(one => visibleLines(one) === own) ? diffMargin + inkedDiff(own, page) : line
}

/** The failure text with a caret; empty for a pass. */
export function failureText(one: PlannedOutcome, columns?: number): string {
  const failure = one.outcome?.failure
  if (failure === undefined) return ''
  const { problems, category, message, hint, disagreements } = failure
  if (problems) {
    const texts = problems.map(problem => problemText(problem, columns))
    return [...texts, ...(disagreements ? [disagreementText(disagreements)] : [])].join('\n')
  }
  const place = placeOf(one, failure) ?? one.raw.placeOf('')
  const lines = [caretText({ place }, columns), `${category}: ${message}`, hint && `  ${hint}`]
  return lines.filter(Boolean).join('\n')
}

/** A flaky case is shown with its earlier failures. */
function flakyLines({ raw, outcome, attempts = [] }: PlannedOutcome, page: Page) {
  if (!isFlaky(attempts)) return []
  const failures = attempts.filter(({ status }) => status === 'fail')
  const head = `${page.ink('yellow', 'FLAKY')} ${visible(raw.id)}  failed ${failures.length} of ${attempts.length} times`
  if (outcome?.status === 'fail') return [head]
  const [firstLine = ''] = failures[0]?.message?.split('\n') ?? []
  return [head, `${margin}${visible(firstLine)}`]
}

function warningLines({ raw, outcome }: PlannedOutcome, page: Page): readonly string[] {
  return (outcome?.warnings ?? []).map(
    warning => `${page.ink('yellow', 'WARN')} ${visible(raw.id)}  ${visible(warning)}`,
  )
}

function summary(report: SpecReport, page: Page) {
  const { total, durationMs } = report
  if (total === 0) return 'Nothing was checked: there is no case. premath spec create makes one.'
  return `${countsOf(report, page)} in ${(durationMs / 1000).toFixed(2)} s`
}

/** Such as `12 passed, 0 failed`. */
export function countsOf(report: SpecReport, page: Page): string {
  const { passed, failed, skipped, notRun, flaky = 0, expectedFailures = 0 } = report
  return [
    `${passed} passed${expectedFailures > 0 ? ` (${expectedFailures} failed as expected)` : ''}`,
    failed > 0 ? page.ink('red', `${failed} failed`) : `${failed} failed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(notRun > 0 ? [`${notRun} not run`] : []),
    ...(flaky > 0 ? [page.ink('yellow', `${flaky} flaky`)] : []),
  ].join(', ')
}
