/** The page, with what the command tells beside it: a file has no standard error. */
import type { Page } from '../../answer.ts'
import { visible, visibleLines } from '../../kernel/text/visible.ts'
import { type ReportedRun, whyNotRun } from './reported-run.ts'

export function pretty(run: ReportedRun, page: Page): string {
  const unrun = run.cases.flatMap(({ status, id, file, line }) => {
    const why = whyNotRun({ status })
    return why === undefined ? [] : [`${visible(`${status}: ${id}  ${file}:${line}  ${why}`)}\n`]
  })
  const problems = run.problems.map(({ text }) => `${visibleLines(text)}\n`)
  return [...problems, ...unrun, run.page(page)].join('')
}
