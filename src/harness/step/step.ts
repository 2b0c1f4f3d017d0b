/**
 * The `step` hook: claims one issue, runs the work, verifies it, and records the result
 * (HARNESS-RUNTIME §3.2).
 */

import { writeFeature } from '../../kernel/harness/feature-ledger.ts'
import { failureMembers } from '../../kernel/harness/feedback.ts'
import type { StepEvent } from '../../kernel/harness/run/run-event.ts'
import { writeSession } from '../../kernel/harness/session.ts'
import {
  leaseLostClass,
  reviewClass,
  stoppedClass,
  worktreeGoneClass,
} from '../../kernel/harness/step/step-decision.ts'
import { failureClassesIn } from '../../kernel/harness/step/step-row.ts'
import { type Stop, stopOf } from '../../kernel/harness/step/stop-policy.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import type { RunRequest } from '../../wire/run/run-event.ts'
import { type BootOptions, type BootReport, bootHarness } from '../boot.ts'
import { fromRoot, type Harness, journalFolder } from '../harness.ts'
import { type Attempted, type AttemptOptions, attemptStep } from './attempt.ts'
import { attemptAfter, type ClaimedWork, type ClaimOptions, claimWork } from './claim-work.ts'
import { type Committed, commitStep, instructionRefsOf, lineageOf } from './commit-step.ts'
import { JournalFile } from './journal-file.ts'
import { LeaseRenewer, renewCheckMs } from './lease-renewer.ts'
import { readState } from './state-view.ts'

export interface WorkOptions extends ClaimOptions, AttemptOptions {
  /** Called before a retry. Defaults to yes. */
  mayTryAgain?(): Promise<boolean>
  /** What a person asks of the run at this moment. */
  readonly request?: (() => Promise<RunRequest | undefined>) | undefined
}

interface StepOptions extends BootOptions, WorkOptions {}

/** The result of one step. Parts that were not reached are absent. */
export interface StepReport {
  readonly boot: BootReport
  readonly refusal?: IssueRefusal
  readonly claimed?: ClaimedWork
  /** One entry per attempt, in order. */
  readonly attempts: readonly (Attempted & { readonly committed: Committed })[]
  /** Why no retry followed although the policy allows one. */
  readonly cutShort?: string | undefined
  /** Why the stop policy let no attempt begin, the first or a retry. */
  readonly stopped?: Stop | undefined
}

/** The caller holds the worker's lock. */
export async function stepHarness(harness: Harness, options: StepOptions): Promise<StepReport> {
  const boot = await bootHarness(harness, options)
  if (!boot.accepted) return { boot, attempts: [] }
  await mustBeWritable(harness)
  return { boot, ...(await workOnce(harness, options)) }
}

/** Requires a successful boot and `readyToWrite`. The caller holds the worker's lock. */
export async function workOnce(
  worker: Harness,
  options: WorkOptions,
): Promise<Omit<StepReport, 'boot'>> {
  const passage = worker.changeAuthority()
  // Checked before the claim, because the issue could never be closed.
  const ungoverned = await passage.refusalUnder(worker.policy)
  if (ungoverned) return { refusal: ungoverned, attempts: [] }
  // A loop runs for hours: each step claims and is bound under the policy of its own start.
  const authority = await passage.authority()
  const harness = { ...worker, policy: await passage.policy(), authority: () => authority }
  const claimed = await claimWork(harness, options)
  if (claimed === undefined) return { attempts: [] }
  if (isRefusal(claimed)) return { refusal: claimed, attempts: [] }
  const tried = await tryUntilDecided(harness, claimed, options)
  const isClosed = tried.attempts.at(-1)?.committed.resultClass === 'completed'
  await options.checkout?.end(harness, isClosed)
  return { claimed, ...tried }
}

async function tryUntilDecided(
  harness: Harness,
  claimed: ClaimedWork,
  options: WorkOptions,
): Promise<Pick<StepReport, 'attempts' | 'cutShort' | 'stopped'>> {
  const { emit } = harness
  const renewer = new LeaseRenewer(harness, claimed, options.leaseTtlSeconds)
  const attempts: StepReport['attempts'][number][] = []
  emit(claimedEvent(claimed))
  for (let attempt = claimed.attempt; ; attempt = await attemptAfter(harness, claimed, attempt)) {
    const state = await readState(harness, claimed, attempt, await options.request?.())
    const stopped = stopOf(state)
    if (stopped) {
      await giveBack(harness, claimed, renewer)
      const why = stopped.failureClass
      emit({ event: 'attempt.dropped', issueId: claimed.issue.id, why })
      return { attempts, cutShort: why, stopped }
    }
    await announce(harness, claimed)
    if (attempt === claimed.attempt) {
      await options.landing?.begin(harness.workerId, claimed.issue.id)
      await options.checkout?.begin(harness, claimed.issue)
    }
    const first = await attemptStep(harness, claimed, attempt, { ...options, renewer, state })
    const { attempted, committed } = await commitOrLand(harness, first)
    attempts.push({ ...attempted, committed })
    emit(endedEvent(attempted, committed))
    if (!committed.triesAgain) {
      const isLost =
        attempted.outcome.decision?.retry === true && !isClosedUnder(committed.issue, claimed)
      if (isLost) emit(lostEvent(claimed))
      if (!isVerified(committed.resultClass)) {
        await options.landing?.keep(harness, claimed.issue, attempted.journal.stepId)
      }
      return { attempts, cutShort: isLost ? leaseLostClass : undefined }
    }
    const { backoffMs = 0 } = attempted.outcome.decision ?? {}
    emit({ event: 'waiting', issueId: claimed.issue.id, milliseconds: backoffMs })
    const cutShort = await waited(harness, backoffMs, renewer)
    if (cutShort !== undefined || (await options.mayTryAgain?.()) === false) {
      const why = cutShort ?? worktreeGoneClass
      await giveBack(harness, claimed, renewer)
      emit({ event: 'attempt.dropped', issueId: claimed.issue.id, why })
      return { attempts, cutShort }
    }
  }
}

/**
 * Applies the outcome. A commit that did not land is decided again, since the target may have moved
 * meanwhile. Its place in the queue ends in any case, so that those behind it go on.
 */
async function commitOrLand(
  harness: Harness,
  first: Attempted,
): Promise<{ readonly attempted: Attempted; readonly committed: Committed }> {
  for (let attempted = first; ; ) {
    const place = attempted.submitted?.place
    const { journal, outcome } = attempted
    let end: 'landed' | 'failed' = 'failed'
    try {
      const passage = harness.changeAuthority()
      const committed = await commitStep(harness, journal, outcome, { again: false, passage })
      if (outcome.landing && committed.issue?.status === 'closed') end = 'landed'
      if (!committed.unlanded) return { attempted, committed }
      place?.end(end)
      attempted = await attempted.again(committed.unlanded)
    } finally {
      place?.end(end)
    }
  }
}

const claimedEvent = ({ issue, leaseId, fence, takenOverFrom }: ClaimedWork): StepEvent => ({
  event: 'claimed',
  issueId: issue.id,
  title: issue.title,
  leaseId,
  fence,
  leaseExpiresAt: issue.lease?.expires_at ?? '',
  ...(takenOverFrom !== undefined && { takenOverFrom }),
})

const endedEvent = (
  { journal: { stepId, issueId, attempt }, outcome, failure }: Attempted,
  { resultClass, summary, row }: Committed,
): StepEvent => ({
  event: 'attempt.ended',
  stepId,
  issueId,
  attempt,
  resultClass,
  failureClasses: failureClassesIn(row),
  summary,
  durationMs: outcome.durationMs,
  nextStep: row.nextStep ?? '',
  ...(row.landed && { landed: row.landed }),
  ...(failure && failureMembers(failure)),
})

const lostEvent = ({ issue }: ClaimedWork): StepEvent => ({
  event: 'attempt.dropped',
  issueId: issue.id,
  why: leaseLostClass,
})

/** True if somebody closed the issue under the lease of the step. Otherwise it was taken over. */
const isClosedUnder = (issue: Issue | undefined, { fence }: ClaimedWork) =>
  issue?.status === 'closed' && fenceOf(issue) === fence

const isVerified = (resultClass: string) =>
  resultClass === 'completed' || resultClass === reviewClass

/** Releases the issue for another worker, unless the lease is lost. */
async function giveBack(
  harness: Harness,
  work: ClaimedWork,
  { isHeld }: LeaseRenewer,
): Promise<void> {
  const { store, workerId, authority } = harness
  const { issue, leaseId, fence } = work
  const proof = { assignee: workerId, leaseId, fence }
  if (isHeld) {
    await store.mutate(authority(), { action: 'issue.lease_release', id: issue.id, proof })
  }
  await new JournalFile(harness, workerId).remove()
}

/** Waits and keeps the lease. Returns why no retry may follow, if so. */
async function waited(
  harness: Harness,
  ms: number,
  renewer: LeaseRenewer,
): Promise<typeof stoppedClass | typeof leaseLostClass | undefined> {
  for (let left = ms; ; left -= renewCheckMs) {
    await pause(harness, Math.max(0, Math.min(left, renewCheckMs)))
    if (harness.stop.aborted) return stoppedClass
    if (!(await renewer.renewIfDue())) return leaseLostClass
    if (left <= renewCheckMs) return undefined
  }
}

/** Ends early on a stop signal. */
async function pause({ clock, stop }: Harness, ms: number): Promise<void> {
  const heard = new AbortController()
  const stopped = new Promise<void>(settle => {
    if (stop.aborted) settle()
    stop.addEventListener('abort', () => settle(), { once: true, signal: heard.signal })
  })
  await Promise.race([clock.sleep(ms), stopped])
  // Remove the listener, because a worker may wait many times.
  heard.abort()
}

/** Checked before the claim: a step that cannot write its journal or its row must not start. */
export async function mustBeWritable(harness: Harness): Promise<void> {
  const { root, disk } = harness
  await makeGitignoredFolder(journalFolder(harness), disk)
  const folder = `${root === '/' ? '' : root}/artifacts/steps`
  await makeGitignoredFolder(folder, disk)
  await disk.checkWritable(folder)
  await harness.trajectory.checkWritable()
}

/** Records the claimed issue in session and ledger before the work starts. */
async function announce(harness: Harness, { issue, leaseId, fence }: ClaimedWork): Promise<void> {
  const { session, ledger, issuesPath, clock, workerId, store, sha256 } = harness
  const write = {
    state: 'active',
    issueId: issue.id,
    summary: `worker=${workerId} claimed=${issue.id}`,
    nextStep: 'work -> verify -> close_or_recover',
    witnessRefs: [],
    lineageRefs: lineageOf(harness, issue.id),
    instructionRefs: instructionRefsOf(harness),
    issuesPath,
    issuesSnapshotRef: await store.logRef(sha256),
    lease: { leaseId, fence },
  } as const
  await session.update(before => writeSession(before, write, clock.now()))
  const feature = {
    featureId: issue.id,
    status: 'in_progress',
    issueId: issue.id,
    summary: issue.title,
    verificationRefs: [],
    instructionRefs: instructionRefsOf(harness),
    sessionRef: fromRoot(harness, session.path),
  } as const
  await ledger.update(before => writeFeature(before, feature, clock.now()))
}
