/** CTRF, the Common Test Report Format: https://ctrf.io. */
import { printJson } from '../../kernel/text/print-json.ts'
import { version } from '../../project/version.ts'
import type { ReportedProblem } from './reported.ts'
import { expectedRemark, type ReportedCase, type ReportedRun, whyNotRun } from './reported-run.ts'

const statuses = { pass: 'passed', fail: 'failed', skip: 'skipped', 'not run': 'pending' } as const

export function ctrf({ json, cases, problems, startedMs }: ReportedRun): string {
  const tests = [...cases.map(caseTest), ...problems.map(problemTest)]
  const count = (status: string) => tests.filter(one => one.status === status).length
  const durationMs = Math.round(json.durationMs)
  return printJson({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    timestamp: new Date(startedMs + durationMs).toISOString(),
    generatedBy: `premath ${version}`,
    results: {
      tool: { name: 'premath', version },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        other: 0,
        flaky: cases.filter(isFlaky).length,
        suites: new Set(tests.map(({ filePath }) => filePath)).size,
        start: startedMs,
        stop: startedMs + durationMs,
        duration: durationMs,
      },
      tests,
    },
  })
}

function caseTest(one: ReportedCase) {
  const { id, title, type, file, line, status, durationMs, tags, chain, warnings } = one
  const message = one.message ?? whyNotRun(one) ?? expectedRemark(one)
  return {
    testId: `${file}#${id}`,
    name: title === '' ? id : `${id}: ${title}`,
    status: statuses[status],
    rawStatus: status,
    duration: Math.round(durationMs),
    suite: [file],
    filePath: file,
    line,
    type,
    ...(message !== undefined && { message }),
    ...(one.text !== '' && { trace: one.text }),
    ...(tags.length > 0 && { tags }),
    ...retriesOf(one),
    ...(isFlaky(one) && { flaky: true }),
    ...(chain.length > 0 && { steps: chain.map(stepOf) }),
    extra: {
      assertions: one.assertions,
      ...(one.category !== null && { category: one.category }),
      ...(one.at && { at: one.at }),
      ...(one.assertPath !== undefined && { assertPath: one.assertPath }),
      ...(one.target !== undefined && { target: one.target }),
      ...(one.op !== undefined && { op: one.op }),
      ...(one.expectedFailure && { expectedFailure: one.expectedFailure }),
      ...(one.disagreements && { disagreements: one.disagreements }),
      ...(warnings.length > 0 && { warnings }),
    },
  }
}

/** The format means only those that passed in the end. */
const isFlaky = ({ flaky, status }: ReportedCase) => flaky === true && status === 'pass'

/** The last attempt is the test itself. */
function retriesOf({ attempts = [] }: ReportedCase) {
  if (attempts.length < 2) return {}
  const retryAttempts = attempts.slice(0, -1).map(({ status, durationMs, message }, at) => ({
    attempt: at + 1,
    status: statuses[status],
    duration: Math.round(durationMs),
    ...(message !== null && { message }),
  }))
  return { retries: retryAttempts.length, retryAttempts }
}

const stepOf = ({ step_id, ref_case_id, ref_doc_path, status }: ReportedCase['chain'][number]) => ({
  name: `${step_id}: ${ref_doc_path}#${ref_case_id}`,
  status: statuses[status],
})

const problemTest = (problem: ReportedProblem) => ({
  testId: `${problem.file}:${problem.line}:${problem.column} ${problem.code}`,
  name: `${problem.file}: ${problem.code}`,
  status: 'failed' as const,
  rawStatus: 'error',
  duration: 0,
  suite: [problem.file],
  filePath: problem.file,
  line: problem.line,
  type: 'document',
  message: problem.message,
  trace: problem.text,
  extra: { ...(problem.hint !== undefined && { hint: problem.hint }) },
})
