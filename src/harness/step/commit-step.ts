/**
 * Applies the outcome of a step: the issue first, then the trajectory, the ledger and the session.
 * Each part checks whether it is already done, so the whole can be repeated after a crash.
 */
import { Fault } from '../../fault.ts'
import { writeFeature } from '../../kernel/harness/feature-ledger.ts'
import { handoffState, leaseRef, recoveryOf } from '../../kernel/harness/lease-handoff.ts'
import { writeSession } from '../../kernel/harness/session.ts'
import { lineageRefs, policyRef } from '../../kernel/harness/step/lineage.ts'
import { nextStepAfter } from '../../kernel/harness/step/next-step.ts'
import { reviewClass } from '../../kernel/harness/step/step-decision.ts'
import { stepAction } from '../../kernel/harness/step/step-row.ts'
import { instructionRef, proofRef, witnessRefsAt } from '../../kernel/harness/step/witness-ref.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { clip } from '../../kernel/text/clean.ts'
import type { StepJournal, StepLanding, StepOutcome } from '../../wire/harness/step-journal.ts'
import type { StepRow } from '../../wire/harness/step-row.ts'
import { type ChangeAuthority, fromRoot, type Harness } from '../harness.ts'
import type { Unlanded } from '../landing/land-issue.ts'
import { dropPayloads } from './drop-payloads.ts'
import { JournalFile } from './journal-file.ts'
import { rereadClose } from './reread-close.ts'
import { applyChange } from './step-change.ts'

export interface Committed {
  readonly resultClass: string
  /** For people: the reason, and what happened to the change. */
  readonly summary: string
  readonly row: StepRow
  /** The issue after the change. */
  readonly issue: Issue | undefined
  /** The issue that an escalation created. */
  readonly createdIssueId: string | undefined
  /** True if the change waits for a caller with authority. */
  readonly isOpen: boolean
  /** True if the store refused the change. */
  readonly isRefused: boolean
  /** True if the same worker tries again and keeps its lease. */
  readonly triesAgain: boolean
  /** Why the commit did not land. The step is not over, and nothing was recorded. */
  readonly unlanded?: Unlanded | undefined
}

export async function commitStep(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
  { again, passage }: { readonly again: boolean; readonly passage: ChangeAuthority },
): Promise<Committed> {
  const file = new JournalFile(harness, journal.workerId)
  await file.write({ ...journal, outcome })
  // Work may have put a pipe in its place. The issue must not close without a row that says why.
  await harness.trajectory.checkWritable()
  const { outcome: applied, ...made } = await applyChange(harness, journal, outcome, passage)
  const { createdIssueId, isOpen = false, isRefused = false, remedy, unlanded, closed } = made
  // A recovery that faulted here would keep every worker from starting.
  const reread =
    closed && !again ? await rereadClose(harness, journal, closed, outcome.landing) : undefined
  const issue = (await harness.store.read()).get(journal.issueId)
  // A worker may have crashed after it recorded the step. What it recorded stays the result.
  const recorded = again ? await harness.trajectory.get(journal.stepId) : undefined
  const row =
    recorded ?? rowOf(harness, journal, applied, { issue, createdIssueId, remedy, reread })
  const { resultClass } = row
  const summary = typeof recorded?.summary === 'string' ? recorded.summary : applied.summary
  const mayRetry = !again && outcome.decision?.retry === true && !isRefused
  const triesAgain = mayRetry && isHeld(issue, journal)
  const committed = { resultClass, summary, row, issue, createdIssueId, isRefused, triesAgain }
  if (unlanded) return { ...committed, isOpen: false, unlanded }
  // The journal stays for a caller with authority.
  if (isOpen && again) return { ...committed, isOpen }
  if (!recorded) await harness.trajectory.append(row)
  if (await hasDocuments(harness)) {
    await emittingEvents(harness, again, async () => {
      await writeLedger(harness, journal, row)
      await writeHandoff(harness, journal, row, summary)
    })
  }
  await dropPayloads(harness, journal, outcome)
  // Before a retry the journal stays, so that a recovery can release the issue if the worker
  // crashes.
  if (!triesAgain) await file.remove()
  return { ...committed, isOpen: false }
}

/** False if somebody closed the issue or took it over: another attempt on it would be in vain. */
const isHeld = (issue: Issue | undefined, { workerId, fence }: StepJournal) =>
  issue?.lease?.owner === workerId && fenceOf(issue) === fence

/** Keeps a row short. The full output is in the step folder. */
const summaryCharsMax = 500

function rowOf(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
  {
    issue,
    createdIssueId,
    remedy,
    reread,
  }: Pick<Committed, 'issue' | 'createdIssueId'> & {
    readonly remedy: string | undefined
    readonly reread: string | undefined
  },
): StepRow {
  const { stepId, issueId, workerId, attempt, startedAt } = journal
  const { resultClass, finishedAt, durationMs, commands, turn, sandbox } = outcome
  const state = handoffState(issue, harness.clock.now())
  return {
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId,
    issueId,
    action: stepAction,
    resultClass,
    instructionRefs: instructionRefsOf(harness, journal),
    witnessRefs: [
      ...outcome.witnessRefs,
      ...witnessRefsAt([outcome.joinWitness ?? '', ...(outcome.proof?.witnesses ?? [])]),
      ...chainRefs(issue, resultClass),
      ...(reread === undefined ? [] : [reread]),
      lanePolicyRef(harness, journal),
      handoffRef(harness, journal, issue),
    ].sort(),
    lineageRefs: lineageOf(harness, issueId, workerId),
    startedAt,
    finishedAt,
    workerId,
    attempt,
    durationMs,
    nextStep: nextStepAfter(outcome, journal, state, { addedId: createdIssueId, remedy }),
    ...(commands.length > 0 && { commands }),
    ...(turn && { turn }),
    ...(outcome.evidence && { evidence: outcome.evidence }),
    ...(sandbox && { sandbox }),
    ...(resultClass === 'completed' && outcome.landing && { landed: landedIn(outcome.landing) }),
    ...(outcome.failureClasses.length > 0 && {
      failureClasses: outcome.failureClasses,
      summary: clip(outcome.summary, summaryCharsMax),
    }),
  }
}

/** The proof with which the step closed its issue. */
function chainRefs(issue: Issue | undefined, resultClass: string): readonly string[] {
  const chain = issue && resultClass === 'completed' ? closeOf(issue)?.['chain'] : undefined
  return issue && typeof chain === 'string' ? [proofRef(issue.id, chain)] : []
}

/** A step that another caller finishes also names the instruction under which it began. */
export function instructionRefsOf(
  { instructionId }: Harness,
  journal?: StepJournal,
): readonly string[] {
  const ids = [journal?.instructionId, instructionId].filter(id => id !== undefined)
  return [...new Set(ids.map(instructionRef))].sort()
}

/** The commit as records name it. */
const landedIn = ({ commit, tree, target }: StepLanding) => ({ commit, tree, target })

function handoffRef(
  { sha256, clock }: Harness,
  { issueId, workerId, leaseId }: StepJournal,
  issue: Issue | undefined,
): string {
  const leaseState = handoffState(issue, clock.now())
  const isClosed = leaseState === 'released'
  return leaseRef(
    {
      issueId,
      workerId,
      leaseId: issue?.lease?.lease_id ?? (isClosed ? leaseId : ''),
      leaseOwner: issue?.lease?.owner ?? (isClosed ? workerId : ''),
      leaseState,
      leaseAction: isClosed ? 'release_closed' : recoveryOf(leaseState).leaseAction,
      status: issue?.status ?? '',
      assignee: issue?.assignee ?? '',
    },
    sha256,
  )
}

/** Our policies have no epoch. The digest of the policy in force takes its place. */
const lanePolicyRef = ({ policy, sha256 }: Harness, { workerId, issueId, attempt }: StepJournal) =>
  policyRef(
    {
      mode: policy.mutationMode,
      reason: policy.reason,
      activeEpoch: policy.mutationPolicyDigest,
      supportUntil: null,
      workerId,
      issueId,
      stepIndex: attempt,
    },
    sha256,
  )

/** The lineage names the worker of the step, also if another worker finishes it. */
export function lineageOf(
  harness: Harness,
  issueId: string,
  workerId = harness.workerId,
): readonly string[] {
  const { worktree, issuesPath, policy, sha256 } = harness
  return lineageRefs(
    {
      issueId,
      repoRoot: '.',
      issuesPath,
      workerId,
      worktree: fromRoot(harness, worktree),
      mutationMode: policy.mutationMode,
      activeEpoch: policy.mutationPolicyDigest,
      supportUntil: null,
    },
    sha256,
  )
}

/**
 * After a crash, the session and ledger may be unwritable. The issue and the trajectory hold the
 * result, so a recovery reports the fault and continues.
 */
async function emittingEvents(
  { emit }: Harness,
  again: boolean,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!again || !(error instanceof Fault)) throw error
    emit({
      event: 'note',
      message: `the result of a step could not be written to its session: ${error.message}`,
    })
  }
}

async function writeLedger(harness: Harness, journal: StepJournal, row: StepRow): Promise<void> {
  const done = row.resultClass === 'completed'
  const status = done
    ? 'completed'
    : row.resultClass.startsWith('retry_needed') || row.resultClass === reviewClass
      ? 'pending'
      : 'blocked'
  await harness.ledger.update(before =>
    writeFeature(
      before,
      {
        featureId: journal.issueId,
        status,
        issueId: journal.issueId,
        // Refs of a failed attempt must not count for a later one.
        verificationRefs: done ? row.witnessRefs.filter(isProof) : [],
        instructionRefs: row.instructionRefs,
        sessionRef: fromRoot(harness, harness.session.path),
      },
      harness.clock.now(),
    ),
  )
}

const isProof = (ref: string) => /^(witness|lease|proof):/.test(ref)

async function writeHandoff(
  { session, issuesPath, clock, store, sha256 }: Harness,
  { issueId }: StepJournal,
  { witnessRefs, lineageRefs, instructionRefs, nextStep, resultClass }: StepRow,
  summary: string,
): Promise<void> {
  const write = {
    state: 'stopped',
    issueId,
    summary: `${resultClass}: ${summary}`,
    nextStep,
    witnessRefs,
    lineageRefs,
    instructionRefs,
    issuesPath,
    issuesSnapshotRef: await store.logRef(sha256),
  } as const
  await session.update(before => writeSession(before, write, clock.now()))
}

/** A removed worktree takes its session and ledger with it. premath does not create them again. */
export async function hasDocuments({ session, recordsFolder, disk }: Harness): Promise<boolean> {
  const isProjects = folderOf(session.path) === recordsFolder
  return isProjects || (await disk.stamp(session.path)) !== undefined
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'))
