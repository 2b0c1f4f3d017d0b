/** Renders how a landing that a person started ended. It is a step, and its attempts say nothing to them. */
import type { CommandError, Page } from '../../answer.ts'
import type { StepReport } from '../../harness/step/step.ts'
import { nextAfterLanding } from '../../kernel/harness/step/landing-advice.ts'
import { failureClassesIn } from '../../kernel/harness/step/step-row.ts'
import { visible } from '../../kernel/text/visible.ts'
import { stepError, stepPage } from './step-answer.ts'

interface LandedFrom {
  /** The commit on the target that was to be verified. */
  readonly as: string | undefined
  readonly target: string
}

export function landError(report: StepReport, from: LandedFrom): CommandError | undefined {
  const error = stepError(report)
  const hint = nextOf(report, from)
  return error && hint !== undefined ? { ...error, hint } : error
}

export function landPage(report: StepReport, from: LandedFrom, page: Page): string {
  const last = report.attempts.at(-1)
  if (!last || !report.claimed) return stepPage(report, page)
  const { id, title } = report.claimed.issue
  const { committed, notes } = last
  const { landed } = committed.row
  const next = nextOf(report, from)
  const isClosed = committed.resultClass === 'completed'
  const word = isClosed ? page.ink('green', 'Closed') : page.ink('red', 'Not landed')
  return [
    `${word} ${visible(`${id}: ${title}`)}`,
    ...(landed ? [visible(`  landed on ${landed.target} as ${landed.commit.slice(0, 9)}`)] : []),
    ...notes.map(note => visible(`  ${note}`)),
    ...(isClosed ? [] : [visible(`  ${committed.summary}`)]),
    ...(isClosed ? [] : stateLines(committed.issue?.status, id)),
    ...(next === undefined ? [] : [page.ink('dim', `  Next: ${visible(next)}`)]),
    '',
  ].join('\n')
}

function stateLines(status: string | undefined, id: string): readonly string[] {
  if (status === 'blocked') return [visible(`  ${id} is blocked, so no run takes it.`)]
  return status === 'open' ? [visible(`  ${id} is open, so the next run works on it again.`)] : []
}

/** An issue with another status is not the same for a person: its lease was lost, or the gate refused. */
function nextOf({ attempts }: StepReport, from: LandedFrom): string | undefined {
  const committed = attempts.at(-1)?.committed
  if (!committed || committed.resultClass === 'completed') return undefined
  const { issue, row } = committed
  const isBlocked = issue?.status === 'blocked'
  if (!issue || !(isBlocked || issue.status === 'open')) return row.nextStep
  return nextAfterLanding(issue.id, failureClassesIn(row), { ...from, isBlocked })
}
