/** The session entries that a run of the loop writes. */

import type { Session } from '../../../wire/harness/session.ts'
import type { FailedIssue, RunEndWhy } from '../../../wire/run/run-event.ts'
import {
  lostWords,
  nextOfLost,
  nextOfWaiting,
  type WaitingIssue,
  waitWords,
} from '../../landing/lacking-work.ts'
import { writeSession } from '../session.ts'
import { landingAdvice } from '../step/landing-advice.ts'
import { parkedClass } from '../step/step-decision.ts'
import { type RemainingWork, shortList } from './remaining-work.ts'
import type { RunSummary } from './run-event.ts'

export interface RunOwner {
  /** A `coordinator` has its own session. The session of a worker is written by its steps. */
  readonly mode: 'worker' | 'coordinator'
  readonly workerId: string
  readonly issuesPath: string
  readonly instructionRefs?: readonly string[] | undefined
  /** Issue memory as it is when the session is written. */
  readonly issuesSnapshotRef?: string | undefined
}

/** A value that other tools read. Pages for people say it in words. */
export const nextStepAtStart = 'issue_ready -> claim -> work -> verify -> release_or_update'

export function sessionAtStart(
  before: Session | undefined,
  { mode, workerId, issuesPath, instructionRefs = [], issuesSnapshotRef }: RunOwner,
  workers: readonly string[],
  now: bigint,
): Session {
  // Keep the handoff of the last step for the next start.
  if (mode === 'worker' && before) return before
  const summary = mode === 'worker' ? `worker=${workerId} waits for work` : runsWords(workers)
  return writeSession(
    before,
    {
      state: 'active',
      issueId: '',
      summary,
      nextStep: nextStepAtStart,
      witnessRefs: [],
      lineageRefs: [],
      instructionRefs,
      issuesPath,
      issuesSnapshotRef,
    },
    now,
  )
}

const runsWords = (workers: readonly string[]) =>
  `coordinates ${workers.length} worker${workers.length === 1 ? '' : 's'}: ${shortList(workers)}`

export function sessionAtEnd(
  before: Session | undefined,
  { mode, issuesPath, issuesSnapshotRef }: RunOwner,
  { why, closed, failed, parked = [], refused, left, nextStep }: RunSummary,
  now: bigint,
): Session {
  if (mode === 'worker' && before?.state === 'stopped') return before
  const counts = `${closed.length} closed, ${failed.length} failed, ${refused.length} refused, ${parkedCount(parked)}${left ?? 'unknown'} left`
  return writeSession(
    before,
    {
      state: 'stopped',
      summary: `${why}: ${counts}`,
      nextStep,
      issuesPath,
      issuesSnapshotRef,
    },
    now,
  )
}

/** True if a run that ended wrote it, as above. */
export const isOfRun = ({ state, summary = '' }: Session): boolean =>
  state === 'stopped' && /^[a-z]+: \d+ closed, \d+ failed, /.test(summary)

/** The work that the target of the run lacked at its end. */
interface LackAtEnd {
  readonly branch: string
  /** Closed issues whose work is on no branch. */
  readonly lost: readonly string[]
  readonly waits: readonly WaitingIssue[]
}

/** A part of the counts of a summary, where there is such work. */
export const parkedCount = ({ length }: readonly FailedIssue[]) =>
  length === 0 ? '' : `${length} ${length === 1 ? 'waits' : 'wait'} to land, `

/** The next step for the session and the summary. Work that is done must not be done again. */
export function nextAfterRun(...[why, left, spentWhy, failed = [], lack]: AfterRun): string {
  const next = nextOfRun(why, left, spentWhy, failed, lack)
  const parked = failed
    .filter(({ failureClasses }) => failureClasses.includes(parkedClass))
    .map(({ issueId }) => issueId)
  const [first] = parked
  if (first === undefined || next.includes(`premath land ${first}`)) return next
  const waits = parked.length === 1 ? 'waits' : 'wait'
  return `${next}; ${shortList(parked)} ${waits} to land: premath land ${first}`
}

type AfterRun = Parameters<typeof nextOfRun>

function nextOfRun(
  why: RunEndWhy,
  left: RemainingWork | undefined,
  spentWhy: string | undefined,
  failed: readonly FailedIssue[] = [],
  { branch, lost, waits }: LackAtEnd = { branch: '', lost: [], waits: [] },
): string {
  const [waiting] = waits
  switch (why) {
    case 'done':
      if (lost.length > 0) return `${lostWords(lost, branch)}; ${nextOfLost}`
      return 'every issue is closed; add more: premath issue add'
    case 'idle':
      if (waiting) return `${waitWords(waiting, branch)}. ${nextOfWaiting(waiting, branch)}`
      if (left && left.marked.length > 0) return nextOfMarked(left.marked, failed)
      return left && left.blocked.length > 0
        ? `no issue can be claimed: check ${shortList(left.blockers)}, then run the loop again`
        : left && left.held.length > 0
          ? `wait for the leased issues, then run the loop again: ${shortList(left.held)}`
          : 'no issue can be claimed: premath issue list shows the open issues'
    case 'budget':
      return `the budget is used up (${spentWhy ?? 'all of it'}); start a new one with --new-budget`
    case 'stopped':
    case 'drained':
      return 'run the same command again to continue with the remaining budget'
    case 'cycle':
      return 'remove a dependency from the cycle: premath dep diagnostics'
    case 'environment':
      return 'make the command run, then run the loop again'
    case 'failed':
      return 'fix the failures of the workers, then run the loop again'
  }
}

/** No run takes an issue that is marked as blocked until a person acts. */
function nextOfMarked(marked: readonly string[], failed: readonly FailedIssue[]): string {
  const [first = ''] = marked
  const classes = failed.find(({ issueId }) => issueId === first)?.failureClasses ?? []
  const advice =
    landingAdvice(first, classes, true) ??
    `See what failed: premath show ${first}. To try again: premath reopen ${first}, then premath run.`
  const isOne = marked.length === 1
  return `${shortList(marked)} ${isOne ? 'is' : 'are'} blocked. ${isOne ? '' : `For ${first}: `}${advice}`
}
