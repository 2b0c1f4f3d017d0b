/** Renders the verdict on a turn as text. */

import type { Page } from '../../answer.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { JoinReport } from '../../wire/turn/join-report.ts'
import { wrap } from '../columns.ts'

export function verdictPage(report: JoinReport, source: string, page: Page): string {
  return `${[headline(report, source, page), ...findingLines(report, page), ...demandLines(report, page)].join('\n')}\n`
}

export function headline(report: JoinReport, source: string, page: Page): string {
  const callId = clipped(String(report.normalized.callSpec['callId'] ?? 'without callId'))
  const verdict = report.joinClosed ? page.ink('green', 'accepted') : page.ink('red', 'rejected')
  const count = report.failureClasses.length
  const why = report.joinClosed
    ? mutationWord(report)
    : `${count} failure ${count === 1 ? 'class' : 'classes'}`
  return `${verdict}  turn ${visible(callId)} (${visible(source)}): ${why}`
}

function mutationWord({ mutationReady, unmetDemands }: JoinReport): string {
  if (mutationReady) return 'closed, and may change issue memory'
  return unmetDemands.length > 0
    ? 'closed, but may not change issue memory'
    : 'closed; it requests no change of issue memory'
}

/** Groups findings by class, with the place of each and one remedy per class. */
export function findingLines(report: JoinReport, page: Page): string[] {
  return report.failureClasses.flatMap(failureClass => {
    const findings = report.findings.filter(finding => finding.failureClass === failureClass)
    return [
      '',
      page.ink('bold', failureClass),
      ...findings.flatMap(({ at, message }) => indented(`${at}: ${message}`, page)),
      ...indented(`→ ${findings[0]?.remedy ?? ''}`, page).map(line => page.ink('dim', line)),
    ]
  })
}

export function demandLines({ joinClosed, unmetDemands }: JoinReport, page: Page): string[] {
  if (unmetDemands.length === 0) return []
  const still = joinClosed
    ? 'Required to change issue memory:'
    : 'Also required to change issue memory:'
  return ['', still, ...unmetDemands.flatMap(({ message }) => indented(message, page))]
}

export const indented = (text: string, page: Page) =>
  wrap(visible(text), page.columns - 2).map(line => `  ${line}`)

const clipped = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text)
