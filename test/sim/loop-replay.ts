/** Derives the result of a run from the trajectory alone, to compare it with the reported result. */
import type { LoopEnd } from '../../src/harness/loop/loop.ts'
import type { RunEvent } from '../../src/kernel/harness/run/run-event.ts'
import { verdictOf, type WorkVerdict } from '../../src/kernel/harness/run/run-tally.ts'
import { stoppedClass } from '../../src/kernel/harness/step/step-decision.ts'
import { stepIdOf, withoutAttempt } from '../../src/kernel/harness/step/step-id.ts'
import { failureClassesIn } from '../../src/kernel/harness/step/step-row.ts'
import type { StepRow } from '../../src/wire/harness/step-row.ts'

export interface RunCounts {
  readonly closed: readonly string[]
  readonly failed: readonly string[]
  readonly refused: readonly string[]
  readonly interrupted: number
  readonly steps: number
}

/** The last try of each piece of work that a run brought to its end, in the order they ended. */
function lastTries(events: readonly RunEvent[]) {
  const last = new Map<string, string>()
  const pieces = new Map<string, number>()
  const waiting = new Set<string>()
  /** Those that were not tried again, and what that makes of them. */
  const cut = new Map<string, WorkVerdict>()
  const nowOf = (workerId: string) => `${workerId} ${pieces.get(workerId) ?? 0}`
  for (const event of events) {
    if (event.event === 'claimed') {
      pieces.set(event.workerId, (pieces.get(event.workerId) ?? 0) + 1)
    } else if (event.event === 'attempt.ended') {
      const piece = nowOf(event.workerId)
      last.delete(piece)
      last.set(piece, event.stepId)
      waiting.delete(piece)
    } else if (event.event === 'waiting') {
      waiting.add(nowOf(event.workerId))
    } else if (event.event === 'attempt.dropped') {
      // An unfinished step is recorded when another worker takes it over.
      if (event.why === 'memory_busy') last.delete(nowOf(event.workerId))
      const stepId = last.get(nowOf(event.workerId))
      if (stepId !== undefined) cut.set(stepId, event.why === stoppedClass ? 'stopped' : 'lost')
      waiting.delete(nowOf(event.workerId))
    } else if (event.event === 'worker.ended' && event.why === 'quit') {
      // It was to try again, and did not come to it.
      const piece = nowOf(event.workerId)
      if (waiting.has(piece)) last.delete(piece)
    }
  }
  return { last: [...last.values()], cut }
}

/** From the rows of those tries. */
export function replayed(
  events: readonly RunEvent[],
  rows: ReadonlyMap<string, StepRow>,
): RunCounts {
  const { last, cut } = lastTries(events)
  const tries = last.flatMap(stepId => rows.get(stepId) ?? [])
  const verdicts = new Map<string, WorkVerdict>()
  const closed = new Set(events.flatMap(closedByRecovery))
  let interrupted = 0
  for (const row of tries) {
    const { issueId = '' } = row
    const verdict = cut.get(row.stepId) ?? verdictIn(row)
    if (verdict === 'closed') closed.add(issueId)
    if (verdict === 'stopped') interrupted++
    // One that was lost, or stopped, says nothing of the issue.
    if (verdict !== 'lost' && verdict !== 'stopped') verdicts.set(issueId, verdict)
  }
  const idsOf = (verdict: WorkVerdict) =>
    [...verdicts].flatMap(([id, own]) => (own === verdict ? id : [])).sort()
  return {
    closed: [...closed].sort(),
    failed: idsOf('failed'),
    refused: idsOf('refused'),
    interrupted,
    steps: tries.length + finishedLater(events, last).length,
  }
}

/** Pieces of work that a worker of the run left, and the run finished without it. */
function finishedLater(events: readonly RunEvent[], last: readonly string[]): readonly string[] {
  const claimed = events.flatMap(event =>
    event.event === 'claimed'
      ? [withoutAttempt(stepIdOf(event.workerId, event.issueId, event.fence, 1))]
      : [],
  )
  const recovered = events.flatMap(event =>
    event.event === 'recovered' && event.how !== 'waiting' ? [withoutAttempt(event.stepId)] : [],
  )
  const ended = new Set(last.map(withoutAttempt))
  return [...new Set(claimed)].filter(piece => recovered.includes(piece) && !ended.has(piece))
}

/** A step that somebody else was cut off in, and the run finished. */
const closedByRecovery = (event: RunEvent) =>
  event.event === 'recovered' && event.how === 'finished' && event.resultClass === 'completed'
    ? [event.issueId]
    : []

export const verdictIn = (row: StepRow): WorkVerdict =>
  verdictOf({
    workerId: row.workerId ?? '',
    issueId: row.issueId ?? '',
    stepId: row.stepId,
    resultClass: row.resultClass,
    failureClasses: failureClassesIn(row),
    summary: '',
  })

export const countsOf = ({ summary, interrupted }: LoopEnd): RunCounts => ({
  closed: summary.closed.toSorted(),
  failed: summary.failed.map(({ issueId }) => issueId).sort(),
  refused: summary.refused.map(({ issueId }) => issueId).sort(),
  interrupted,
  steps: summary.steps,
})
