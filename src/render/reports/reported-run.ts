/** The input of a run report: every case and every problem. */

import type { Answer, Page } from '../../answer.ts'
import { textsIn } from '../../kernel/spec/case/requires.ts'
import { isError } from '../../kernel/spec/document/raw-case.ts'
import type { OperationContext } from '../../project/context.ts'
import type { SpecOutcomes } from '../../project/specs/outcomes.ts'
import type { SpecInput } from '../../project/specs/spec-input.ts'
import type { PlannedOutcome } from '../../runner/run-plan.ts'
import type { SpecCaseResult, SpecReport } from '../../wire/spec/spec-report.ts'
import { failureText, resultOf } from '../specs/run-page.ts'
import { type Reported, reported } from './reported.ts'

export interface ReportedRun extends Reported<SpecReport> {
  /** In the order of the documents. */
  readonly cases: readonly ReportedCase[]
  /** Milliseconds since 1970. */
  readonly startedMs: number
  /** In lower-case hexadecimal. */
  sha256(text: string): string
  /** The page for people. */
  page(page: Page): string
}

export interface ReportedCase extends Omit<SpecCaseResult, 'status'> {
  /** One that was not run was not begun, because another failed or the run was stopped. */
  readonly status: SpecCaseResult['status'] | 'not run'
  readonly tags: readonly string[]
  /** The failure text with a caret; empty for a pass. */
  readonly text: string
}

export function reportedRun(
  { output, render }: Answer<SpecReport>,
  { outcomes, startedMs }: Pick<SpecOutcomes, 'outcomes'> & Pick<ReportedRun, 'startedMs'>,
  { documentProblems }: SpecInput,
  context: OperationContext,
): ReportedRun {
  return {
    ...reported(output, documentProblems.filter(isError), context),
    cases: outcomes.map(reportedCase),
    startedMs,
    sha256: context.sha256,
    page: page => context.secrets.text(render(page)),
  }
}

function reportedCase(one: PlannedOutcome): ReportedCase {
  const { raw } = one
  const [result] = resultOf(one)
  const tags = textsIn(raw.value, 'tags')
  if (result !== undefined) return { ...result, tags, text: failureText(one) }
  const { id, type, file, line, column, value } = raw
  const title = value.get('title')
  return {
    ...{ id, type, title: typeof title === 'string' ? title : '', file, line, column },
    ...{ status: 'not run', category: null, message: null, text: '', tags },
    ...{ assertions: 0, warnings: [], chain: [], durationMs: 0 },
  }
}

/** By document, in order. */
export function byFile<Row extends { readonly file: string }>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]> {
  const files = new Map<string, Row[]>()
  for (const row of rows) {
    const known = files.get(row.file)
    if (known) known.push(row)
    else files.set(row.file, [row])
  }
  return files
}

/** Why a case has no verdict; `undefined` where it has one. */
export function whyNotRun({ status }: Pick<ReportedCase, 'status'>): string | undefined {
  if (status === 'skip') return 'it requires a capability that this runner lacks'
  if (status === 'not run') return 'another case failed before it, or the run was stopped'
  return undefined
}

export const flakyRemark = 'flaky: it passed and it failed'

/** Tells a failure that the case expects from a pass; `undefined` for any other case. */
export function expectedRemark({
  expectedFailure,
}: Pick<ReportedCase, 'expectedFailure'>): string | undefined {
  if (expectedFailure === undefined) return undefined
  const { category, message } = expectedFailure
  return `failed as expected: ${category}: ${message}`
}

/** Additional facts: the cases of its chain, and warnings. */
export function remarksOf({
  chain,
  warnings,
  attempts = [],
  flaky,
  ...one
}: ReportedCase): readonly string[] {
  const expected = expectedRemark(one)
  return [
    ...(expected === undefined ? [] : [expected]),
    ...(attempts.length > 1 ? [`run ${attempts.length} times`] : []),
    ...(flaky ? [flakyRemark] : []),
    ...chain.map(
      one => `chain ${one.step_id}: ${one.ref_doc_path}#${one.ref_case_id} ${one.status}`,
    ),
    ...warnings.map(one => `warning: ${one}`),
  ]
}
