/** Renders the actions of each case. */

import type { Page } from '../../answer.ts'
import { cut } from '../../kernel/text/text-width.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { SpecCaseResult, SpecCaseTrace } from '../../wire/spec/spec-report.ts'
import { rowColumns } from '../columns.ts'

const margin = '  '

export function tracePage(results: readonly SpecCaseResult[], page: Page): string {
  return results
    .flatMap(result => (result.trace ? caseLines(result, result.trace, page) : []))
    .map(line => `${line}\n`)
    .join('')
}

function caseLines(
  { id, file, line, status, durationMs }: SpecCaseResult,
  { chain, commands, requests, predicates }: SpecCaseTrace,
  page: Page,
): readonly string[] {
  const head = `${page.ink('bold', visible(id))}  ${visible(file)}:${line}  ${status}  ${shownMs(durationMs)}`
  const steps = [
    ...chain.map(
      one =>
        `chain ${one.stepId}: ${one.document}#${one.caseId}  ${one.status}  ${shownMs(one.waitedMs)}`,
    ),
    ...commands.map(commandLine),
    ...requests.map(requestLine),
    ...predicates.map(
      one => `${one.verdict}  ${one.assertPath}  ${one.op} on ${one.target}: ${one.subject}`,
    ),
  ]
  return [
    head,
    ...steps.map(step => margin + cut(visible(step), rowColumns(page) - margin.length)),
    '',
  ]
}

function commandLine(one: SpecCaseTrace['commands'][number]): string {
  const end = one.exitCode === null ? `no result: it ${one.why}` : `exit ${one.exitCode}`
  const sizes = `stdout ${one.stdoutBytes} B, stderr ${one.stderrBytes} B`
  // The words last: they are what may have to be cut.
  return `${one.name}  ${end}  ${shownMs(one.durationMs)}  ${sizes}  ${JSON.stringify(one.words)}`
}

function requestLine(one: SpecCaseTrace['requests'][number]): string {
  const end = one.status === null ? `no answer: ${one.why}` : `status ${one.status}`
  return `${one.name}  ${end}  ${shownMs(one.durationMs)}  body ${one.bodyBytes} B  ${one.method} ${one.url}`
}

const shownMs = (ms: number) => `${ms.toFixed(1)} ms`
