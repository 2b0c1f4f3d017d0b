/** What the commands that check issues take and show. */
import { type IssueCheckReport, noteWarnThresholdDefault } from '../kernel/work/issue-check.ts'
import { memoryFields } from './issue-fields.ts'
import type { Page } from './operation.ts'
import { visible } from './visible.ts'

export const checkFields = {
  noteWarnThreshold: {
    type: 'count',
    describe: 'Warn about notes with more characters than this.',
    placeholder: 'n',
    default: noteWarnThresholdDefault,
  },
  ...memoryFields,
} as const

/** Scripts look for the first line. */
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
