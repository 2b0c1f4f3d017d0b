/** Renders the obligations of a check: one line for each that holds, and the findings of the others. */
import type { Page } from '../answer.ts'
import { counted } from '../kernel/text/counted.ts'
import { visible } from '../kernel/text/visible.ts'
import type { CheckFinding, Obligation } from '../wire/checks/check-report.ts'
import { hung, wrap } from './columns.ts'

/** Findings of one obligation on the page; `--json` lists more. */
const shownMax = 10

const margin = ' '.repeat(6)

export function checkPage(obligations: readonly Obligation[], page: Page): string {
  const rejected = obligations.filter(({ result }) => result === 'rejected').length
  const end =
    rejected === 0
      ? `${counted(obligations.length, 'rule')} checked, no findings`
      : `${rejected} of ${counted(obligations.length, 'rule')} rejected`
  const lines = obligations.flatMap(one => obligationLines(one, page))
  return `${[...lines, page.ink('dim', end)].join('\n')}\n`
}

function obligationLines(
  { result, obligationId, details }: Obligation,
  page: Page,
): readonly string[] {
  const { means, note, findings, findingCount } = details
  const mark = result === 'accepted' ? page.ink('green', 'ok') : page.ink('red', 'FAIL')
  const pad = ' '.repeat(margin.length - (result === 'accepted' ? 2 : 4))
  const about = `${obligationId}: ${means}${note === undefined ? '' : ` (${note})`}`
  const [first = '', ...rest] = hung(margin, visible(about), page.columns)
  const shown = findings.slice(0, shownMax)
  const more = findingCount - shown.length
  return [
    `${mark}${pad}${first.slice(margin.length)}`,
    ...rest,
    ...shown.flatMap(finding => findingLines(finding, page)),
    ...(more > 0 ? [`${margin}and ${more} more; --json lists more of them`] : []),
  ]
}

function findingLines({ at, message, failureClass, next }: CheckFinding, page: Page) {
  const block = (text: string) =>
    wrap(visible(text), page.columns - margin.length).map(line => margin + line)
  return [
    ...block(`${at}: ${message} (${failureClass})`),
    // Its commands are copied, so the terminal breaks the line and not we.
    page.ink('dim', `${margin}→ ${visible(next)}`),
  ]
}
