/** JUnit's XML: a suite for each document. */
import imported, { type Builder, type TestCase, type TestSuite } from 'junit-report-builder'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import type { ReportedProblem } from './reported.ts'
import {
  byFile,
  type ReportedCase,
  type ReportedRun,
  remarksOf,
  whyNotRun,
} from './reported-run.ts'

/** Its types look for this one level deeper than it is. */
const builder = imported as unknown as Builder

export function junit({ json, cases, problems, startedMs }: ReportedRun): string {
  const root = builder.newBuilder().name('premath spec run')
  attributesOf(root['_rootTestSuites'])['time'] = seconds(json.durationMs)
  const casesOf = byFile(cases)
  const problemsOf = byFile(problems)
  for (const file of new Set([...casesOf.keys(), ...problemsOf.keys()])) {
    const own = casesOf.get(file) ?? []
    const suite = root.testSuite().name(visible(file))
    suite.timestamp(new Date(startedMs).toISOString().slice(0, -'.000Z'.length))
    suite.time(seconds(own.reduce((sum, one) => sum + one.durationMs, 0)))
    attributesOf(suite)['file'] = visible(file)
    for (const one of own) addCase(suite, one)
    for (const one of problemsOf.get(file) ?? []) addProblem(suite, one)
  }
  return `${root.build()}\n`
}

const seconds = (ms: number) => Number((ms / 1000).toFixed(6))

function addCase(suite: TestSuite, one: ReportedCase): void {
  const { id, title, status, durationMs, category, message, text } = one
  const added = placed(suite, title === '' ? id : `${id}: ${title}`, one).time(seconds(durationMs))
  if (status === 'fail') {
    added.failure(visibleLines(message ?? ''), category ?? '').stacktrace(body(text))
  }
  const why = whyNotRun(one)
  if (why !== undefined) added.skipped()
  const remarks = [...(why === undefined ? [] : [`${status}: ${why}`]), ...remarksOf(one)]
  if (remarks.length > 0) added.standardOutput(body(remarks.join('\n')))
}

/** A document that could not be read is no failure of what it tests. */
function addProblem(suite: TestSuite, problem: ReportedProblem): void {
  const { code, message, text } = problem
  placed(suite, code, problem).time(0).error(visibleLines(message), visible(code), body(text))
}

function placed(
  suite: TestSuite,
  name: string,
  { file, line }: { readonly file: string; readonly line: number },
): TestCase {
  const added = suite.testCase().className(visible(file)).name(visible(name)).file(visible(file))
  attributesOf(added)['line'] = line
  return added
}

/** The package has no name for some that many readers of these files know. */
const attributesOf = (node: TestSuite | TestCase): Record<string, string | number> =>
  node['_attributes']

/** The package lets only the first `]]>` of a text through. */
const body = (text: string) => visibleLines(text).replaceAll(']]>', ']]\\u003e')
