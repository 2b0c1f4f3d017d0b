/** The session entries that a run of the loop writes. */

import type { RunEndWhy } from '../../../wire/run/run-words.ts'
import { type Session, writeSession } from '../session.ts'
import { few, type LeftWork } from './left-work.ts'
import type { RunSummary } from './run-event.ts'

export interface RunKeeper {
  /** A `coordinator` has its own session. The session of a worker is written by its steps. */
  readonly mode: 'worker' | 'coordinator'
  readonly workerId: string
  readonly issuesPath: string
}

export function sessionAtStart(
  before: Session | undefined,
  { mode, workerId, issuesPath }: RunKeeper,
  workers: readonly string[],
  now: bigint,
): Session {
  // Keep the handoff of the last step for the next start.
  if (mode === 'worker' && before) return before
  const summary = mode === 'worker' ? `worker=${workerId} looks for work` : runsWords(workers)
  return writeSession(
    before,
    {
      state: 'active',
      issueId: '',
      summary,
      nextStep: 'issue_ready -> claim -> work -> verify -> release_or_update',
      witnessRefs: [],
      lineageRefs: [],
      issuesPath,
      issuesSnapshotRef: undefined,
    },
    now,
  )
}

const runsWords = (workers: readonly string[]) =>
  `coordinates ${workers.length} worker${workers.length === 1 ? '' : 's'}: ${few(workers)}`

export function sessionAtEnd(
  before: Session | undefined,
  { mode, issuesPath }: RunKeeper,
  { why, closed, failed, refused, left, nextStep }: RunSummary,
  now: bigint,
): Session {
  if (mode === 'worker' && before?.state === 'stopped') return before
  const counts = `${closed.length} closed, ${failed.length} failed, ${refused.length} refused, ${left ?? 'unknown'} left`
  return writeSession(
    before,
    {
      state: 'stopped',
      summary: `${why}: ${counts}`,
      nextStep,
      issuesPath,
      issuesSnapshotRef: undefined,
    },
    now,
  )
}

/** The next step for the session and the summary. */
export function nextAfterRun(
  why: RunEndWhy,
  left: LeftWork | undefined,
  spentWhy: string | undefined,
): string {
  switch (why) {
    case 'done':
      return 'every issue is closed; add more: premath issue add'
    case 'idle':
      return left && left.blocked.length > 0
        ? `nothing can be taken: see ${few([...new Set([...left.blockers, ...left.marked])])}, then start again`
        : left && left.held.length > 0
          ? `wait for what is held, then start again: ${few(left.held)}`
          : 'nothing can be taken: premath issue list shows what is left'
    case 'budget':
      return `the budget is used up (${spentWhy ?? 'all of it'}); --new-budget begins another`
    case 'stopped':
      return 'go on with the same command: the budget goes on too'
    case 'cycle':
      return 'take an edge out of the circle: premath dep diagnostics'
    case 'failed':
      return 'mend what the workers ran into, then start again'
  }
}
