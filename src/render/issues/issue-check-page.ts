/** Renders the report of the issue checks. */

import type { Page } from '../../answer.ts'
import type { IssueCheckReport } from '../../kernel/issues/issue-check.ts'
import { visible } from '../../kernel/text/visible.ts'

/** Scripts match the first line. */
export function checkPage(report: IssueCheckReport, page: Page): readonly string[] {
  const { issueCount, errorCount, warningCount } = report.summary
  const word = report.result === 'accepted' ? page.ink('green', 'OK') : page.ink('red', 'FAIL')
  const counts = `(issues=${issueCount}, errors=${errorCount}, warnings=${warningCount})`
  return [
    `[issue-graph] ${word} ${counts}`,
    ...report.errors.map(one => visible(`  - ${one.issueId} ${one.class} (${one.message})`)),
    ...report.warnings.map(one => visible(`  - WARN ${one.issueId} ${one.class} (${one.message})`)),
  ]
}
