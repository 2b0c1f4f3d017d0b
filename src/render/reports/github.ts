/** Workflow commands of GitHub Actions: each is shown at the line that it names. */
import { visibleLines } from '../../kernel/text/visible.ts'
import type { Reported } from './reported.ts'
import { flakyRemark, type ReportedCase, type ReportedRun, whyNotRun } from './reported-run.ts'

export function githubRun(run: ReportedRun): string {
  const annotations = run.cases.flatMap(one => [...failureOf(one, run), ...warningsOf(one, run)])
  const unrun = (['skip', 'not run'] as const).flatMap(status => noticeOf(status, run))
  return githubProblems(run) + [...annotations, ...unrun].join('')
}

export function githubProblems({ problems, checkoutPath }: Reported): string {
  return problems
    .map(({ severity, code, message, hint, file, line, column }) =>
      command(
        severity,
        { file: checkoutPath(file), line, col: column, title: code },
        hint === undefined ? message : `${message}\n${hint}`,
      ),
    )
    .join('')
}

function failureOf(one: ReportedCase, { checkoutPath }: ReportedRun): readonly string[] {
  if (one.status !== 'fail') return []
  const { line, column } = one.at ?? one
  const message = `${one.category}: ${one.message}`
  return [
    command('error', { file: checkoutPath(one.file), line, col: column, title: one.id }, message),
  ]
}

function warningsOf(one: ReportedCase, { checkoutPath }: ReportedRun): readonly string[] {
  const { id, file, line, column } = one
  const place = { file: checkoutPath(file), line, col: column }
  const texts = [...one.warnings, ...(one.flaky ? [flakyRemark] : [])]
  return texts.map(text => command('warning', { ...place, title: id }, text))
}

/** One for all of them: GitHub shows only a few notices of a step. */
function noticeOf(
  status: 'skip' | 'not run',
  { cases, checkoutPath }: ReportedRun,
): readonly string[] {
  const found = cases.filter(one => one.status === status)
  if (found.length === 0) return []
  const names = found.map(({ id, file }) => `${checkoutPath(file)}#${id}`)
  const title = `${found.length} ${status === 'skip' ? 'skipped' : 'not run'}`
  return [command('notice', { title }, [`${whyNotRun({ status })}:`, ...names].join('\n'))]
}

function command(
  name: 'error' | 'warning' | 'notice',
  properties: Readonly<Record<string, string | number>>,
  message: string,
): string {
  const given = Object.entries(properties).map(
    ([key, value]) => `${key}=${property(String(value))}`,
  )
  return `::${name} ${given.join(',')}::${data(message)}\n`
}

/** Escapes for GitHub. Line ends stay; other control characters are spelled out. */
const data = (text: string) => visibleLines(text).replaceAll('%', '%25').replaceAll('\n', '%0A')

const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
