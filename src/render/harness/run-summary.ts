/** Renders the summary at the end of a run. */

import type { Page } from '../../answer.ts'
import { few } from '../../kernel/harness/run/left-work.ts'
import type { FailedIssue, RunSummary } from '../../kernel/harness/run/run-event.ts'
import { visible } from '../../kernel/text/visible.ts'
import { spanOf } from '../durations.ts'

const whyWords = {
  done: 'every issue is closed',
  idle: 'no open issue can be claimed',
  budget: 'the budget is used up',
  stopped: 'it was stopped',
  cycle: 'active issues form a dependency cycle',
  failed: 'no worker could continue',
} as const

export function summaryPage(summary: RunSummary, page: Page): string {
  const { why, closed, failed, refused, lost, steps, milliseconds, attention, nextStep } = summary
  const left = summary.left ?? 'unknown'
  const word =
    failed.length + refused.length + lost.length > 0 || why === 'failed' || why === 'cycle'
      ? 'red'
      : 'green'
  return [
    `${page.ink(word, 'Run ended')}: ${whyWords[why]}`,
    `  ${closed.length} closed, ${failed.length} failed, ${refused.length} refused, ${lost.length > 0 ? `${lost.length} lost, ` : ''}${left} left; ${steps} step${steps === 1 ? '' : 's'} in ${spanOf(milliseconds)}`,
    ...failed.flatMap(issue => issueLines('failed', issue)),
    ...refused.flatMap(issue => issueLines('refused', issue)),
    ...lost.flatMap(issue => issueLines('lost', issue)),
    ...(attention > 0
      ? [
          `  ${attention} ${attention === 1 ? 'event needs' : 'events need'} attention: .premath/harness_attention.jsonl`,
        ]
      : []),
    page.ink('dim', `  Next: ${visible(nextStep)}`),
    '',
  ].join('\n')
}

const issueLines = (word: string, { issueId, failureClasses, summary }: FailedIssue) => [
  visible(`  ${word} ${issueId}: ${few(failureClasses)}`),
  visible(`    ${summary}`),
]
