/** Renders the report of a step as JSON and as text. */

import type { CommandError, ExitCode, Page } from '../../answer.ts'
import type { StepReport } from '../../harness/step/step.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { outputRef, shownLines } from '../../kernel/harness/feedback.ts'
import { isEnvironmentFailure } from '../../kernel/harness/retry/failure-class.ts'
import { reviewClass } from '../../kernel/harness/step/step-decision.ts'
import { takenWords } from '../../kernel/harness/step/step-request.ts'
import { failureClassesIn } from '../../kernel/harness/step/step-row.ts'
import { failureClassOf } from '../../kernel/harness/step/step-words.ts'
import type { Stop } from '../../kernel/harness/step/stop-policy.ts'
import { visible } from '../../kernel/text/visible.ts'
import { StepRow } from '../../wire/harness/step-row.ts'
import { spanOf } from '../durations.ts'
import { errorOfRefusal, exitOfRefusal } from '../issues/issue-answer.ts'
import { allRecovered, bootOutput, reasonLines, recoveredLine } from './boot-answer.ts'

export function stepOutput(report: StepReport) {
  const last = report.attempts.at(-1)
  return {
    attempts: report.attempts.map(({ committed }) => documentOf(StepRow, committed.row)),
    boot: bootOutput(report.boot),
    claimed: report.claimed !== undefined,
    createdIssueId: last?.committed.createdIssueId ?? null,
    failureClasses: failureClassesOf(report),
    issueId: report.claimed?.issue.id ?? null,
    lastLines: last?.failure ? shownLines(last.failure) : [],
    notes: [...report.attempts.flatMap(({ notes }) => notes), ...endNotes(report)],
    outputRef: (last?.failure && outputRef(last.failure)) ?? null,
    requests: report.attempts.flatMap(({ requests }) => requests),
    result: resultOf(report),
    stepReportKind: 'premath.harness.step_report.v1',
    summary: last?.committed.summary ?? report.refusal?.diagnostic ?? report.stopped?.why ?? null,
  }
}

function failureClassesOf({ boot, refusal, attempts, stopped }: StepReport): readonly string[] {
  const last = attempts.at(-1)
  if (last) return failureClassesIn(last.committed.row)
  if (stopped) return [stopped.failureClass]
  return refusal ? [refusal.failureClass] : boot.failureClasses
}

/** `idle`: no issue was ready. */
function resultOf(report: StepReport): 'completed' | 'failed' | 'rejected' | 'idle' {
  const last = report.attempts.at(-1)
  if (last) return isVerified(last.committed.resultClass) ? 'completed' : 'failed'
  return report.refusal || report.stopped || !report.boot.accepted ? 'rejected' : 'idle'
}

export function stepExit(report: StepReport): ExitCode {
  if (report.boot.refs.some(({ state }) => state === 'changed')) return 5
  const result = resultOf(report)
  if (result === 'completed' || result === 'idle') return 0
  if (report.refusal) return exitOfRefusal(report.refusal)
  const failureClasses = failureClassesOf(report)
  if (failureClasses.some(isLostLease)) return 4
  return isEnvironmentFailure(failureClasses) ? 3 : 1
}

/** The reason, unless the step completed or had nothing to do. */
export function stepError(report: StepReport): CommandError | undefined {
  if (stepExit(report) === 0) return undefined
  const { boot, refusal, stopped } = report
  const committed = report.attempts.at(-1)?.committed
  const [code = 'failed'] = failureClassesOf(report)
  if (committed) {
    const hint = nextStepOf(report)
    return { code, message: committed.summary, ...(hint !== undefined && { hint }) }
  }
  if (refusal) return errorOfRefusal(refusal)
  if (stopped) return { code, message: stopMessage(stopped), hint: stopped.next }
  const [reason] = boot.reasons
  return { code, message: reason?.why ?? 'not ready to work', ...(reason && { hint: reason.next }) }
}

/** The stop policy has the last word: it may let no attempt follow that the retry policy allows. */
const nextStepOf = ({ attempts, stopped }: StepReport) =>
  stopped?.next ?? attempts.at(-1)?.committed.row.nextStep

const endNotes = ({ attempts, stopped }: StepReport): readonly string[] =>
  stopped && attempts.length > 0 ? [`no other attempt began: ${stopped.why}`] : []

const stopMessage = ({ why }: Stop) => `the attempt did not begin: ${why}`

const isVerified = (resultClass: string) =>
  resultClass === 'completed' || resultClass === reviewClass

/** Another worker holds the issue, or the lease was released while the work ran. */
const isLostLease = (failureClass: string) => failureClass.startsWith('lease_')

export function stepPage(report: StepReport, page: Page): string {
  const { boot, claimed, refusal, attempts, stopped } = report
  const last = attempts.at(-1)
  const lines: string[] = []
  lines.push(...allRecovered(boot).map(recoveredLine))
  lines.push(...boot.warnings.flatMap(reason => reasonLines(reason, page.ink('yellow', '!'))))
  if (!boot.accepted) {
    lines.push(
      `${page.ink('red', 'Not ready to work')}:`,
      ...boot.reasons.flatMap(reason => reasonLines(reason, page.ink('red', '✗'))),
    )
  } else if (refusal) {
    lines.push(
      `${page.ink('red', 'Refused')}: ${visible(refusal.diagnostic)}`,
      `  ${visible(refusal.remedy)}`,
    )
  } else if (stopped && !last) {
    lines.push(
      `${page.ink('red', 'Not begun')}: ${visible(stopMessage(stopped))}`,
      `  ${visible(stopped.next)}`,
    )
  } else if (!claimed || !last) {
    lines.push('No issue can be claimed.')
  } else {
    lines.push(...attemptLines(report, page))
  }
  return `${lines.join('\n')}\n`
}

function attemptLines(report: StepReport, page: Page): readonly string[] {
  const { claimed, attempts } = report
  const nextStep = nextStepOf(report)
  const last = attempts.at(-1)
  if (!claimed || !last) return []
  const { committed } = last
  const done = isVerified(committed.resultClass)
  const isClosed = committed.resultClass === 'completed'
  const good = isClosed ? 'Closed' : 'Verified, and in review:'
  const word = done ? page.ink('green', good) : page.ink('red', 'Not closed')
  const { issue } = claimed
  return [
    `${word} ${visible(`${issue.id}: ${issue.title}`)}`,
    ...attempts.map(({ journal, committed: { resultClass, row } }) =>
      visible(
        `  attempt ${journal.attempt}: ${failureClassOf(resultClass)} in ${spanOf(row.durationMs ?? 0)}`,
      ),
    ),
    ...attempts.flatMap(({ requests, notes }) =>
      [...requests.filter(({ result }) => result === 'taken').map(takenWords), ...notes].map(line =>
        visible(`  ${line}`),
      ),
    ),
    ...(done ? [] : [visible(`  ${committed.summary}`)]),
    ...(committed.createdIssueId === undefined
      ? []
      : [visible(`  added ${committed.createdIssueId} about the failure`)]),
    ...endNotes(report).map(line => visible(`  ${line}`)),
    ...(isClosed || nextStep === undefined
      ? []
      : [page.ink('dim', `  Next: ${visible(nextStep)}`)]),
  ]
}
