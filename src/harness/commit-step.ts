/**
 * Carries out what a step decided: the issue, then the trajectory, the ledger and the session. Each
 * part looks whether it is done already, so that after a crash all of it can be done again.
 */
import { escalationChange } from '../kernel/harness/escalation.ts'
import { writeFeature } from '../kernel/harness/feature-ledger.ts'
import { handoffState, leaseRef, recoveryOf } from '../kernel/harness/lease-handoff.ts'
import { lineageRefs } from '../kernel/harness/lineage.ts'
import { policyRef } from '../kernel/harness/policy-ref.ts'
import { writeSession } from '../kernel/harness/session.ts'
import type { StepJournal, StepOutcome } from '../kernel/harness/step-journal.ts'
import type { StepRow } from '../kernel/harness/step-row.ts'
import { fenceOf, type Issue } from '../kernel/work/issue.ts'
import type { IssueChange } from '../kernel/work/issue-change.ts'
import { isRefusal } from '../kernel/work/issue-refusal.ts'
import { fromRoot, type Harness } from './harness.ts'
import { JournalFile } from './journal-file.ts'
import { stepAuthority } from './step-authority.ts'

export interface Committed {
  readonly resultClass: string
  readonly row: StepRow
  /** The issue as it is now. */
  readonly issue: Issue | undefined
  /** Made by an escalation. */
  readonly createdIssueId: string | undefined
}

export async function commitStep(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
  { again }: { readonly again: boolean },
): Promise<Committed> {
  const file = new JournalFile(harness)
  await file.write({ ...journal, outcome })
  const applied = await applyChange(harness, journal, outcome)
  const issue = (await harness.store.read()).get(journal.issueId)
  const row = rowOf(harness, journal, { ...outcome, ...applied }, issue)
  // A step that was never told of is not looked for.
  const isTold = again && (await harness.trajectory.has(row.stepId))
  if (!isTold) await harness.trajectory.append(row)
  await writeLedger(harness, journal, row)
  await writeHandoff(harness, journal, row, applied.summary ?? outcome.summary)
  await file.remove()
  const { resultClass } = row
  return { resultClass, row, issue, createdIssueId: applied.createdIssueId }
}

/** What the change came to where that is not what was decided. */
interface Applied {
  readonly resultClass?: string
  readonly failureClasses?: readonly string[]
  readonly summary?: string
  readonly createdIssueId?: string
}

async function applyChange(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
): Promise<Applied> {
  const { store } = harness
  const before = (await store.read()).get(journal.issueId)
  if (isDone(before, journal, outcome)) return {}
  const change = changeFor(harness, journal, outcome)
  if (!change) return {}
  const authority = await stepAuthority(harness, journal, outcome)
  const made = await store.mutate(authority, change)
  if (isRefusal(made)) {
    const { failureClass, diagnostic } = made
    const summary = `${outcome.summary}; ${change.action} was refused: ${diagnostic}`
    return { resultClass: failureClass, failureClasses: [failureClass], summary }
  }
  if (outcome.change !== 'discover') return {}
  const createdIssueId = made.issue?.id
  await release(harness, journal)
  return createdIssueId === undefined ? {} : { createdIssueId }
}

/** A crash came after the change and before the rest was told. */
function isDone(
  issue: Issue | undefined,
  { fence }: StepJournal,
  { change }: StepOutcome,
): boolean {
  if (!issue || change === 'keep') return true
  if (fenceOf(issue) !== fence || issue.lease) return false
  if (change === 'close') return issue.status === 'closed'
  if (change === 'block') return issue.status === 'blocked'
  return change === 'release' && issue.status === 'open'
}

function changeFor(
  { workerId }: Harness,
  { issueId, leaseId, fence, stepId }: StepJournal,
  { change, decision, witnessRefs, verifyCommand }: StepOutcome,
): IssueChange | undefined {
  const proof = { assignee: workerId, leaseId, fence }
  if (change === 'close') {
    return { action: 'issue.update', id: issueId, proof, fields: { status: 'closed' } }
  }
  if (change === 'release') return { action: 'issue.lease_release', id: issueId, proof }
  if (!decision) return undefined
  const escalation = {
    scope: 'harness.step',
    decision,
    witnessRef: witnessRefs[0] ?? stepId,
    verifyCommand,
  }
  return escalationChange(escalation, issueId, proof)
}

async function release(
  { store, workerId, authority }: Harness,
  { issueId, leaseId, fence }: StepJournal,
): Promise<void> {
  const proof = { assignee: workerId, leaseId, fence }
  await store.mutate(authority(), { action: 'issue.lease_release', id: issueId, proof })
}

function rowOf(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
  issue: Issue | undefined,
): StepRow {
  const { stepId, issueId, workerId, attempt, startedAt } = journal
  const { resultClass, finishedAt, durationMs, commands, turn } = outcome
  const state = handoffState(issue, harness.clock.now())
  return {
    stepId,
    issueId,
    action: 'harness.step',
    resultClass,
    instructionRefs: [],
    witnessRefs: [
      ...outcome.witnessRefs,
      lanePolicyRef(harness, journal),
      handoffRef(harness, journal, issue),
    ].sort(),
    lineageRefs: lineageOf(harness, issueId),
    startedAt,
    finishedAt,
    workerId,
    attempt,
    durationMs,
    nextStep: resultClass === 'completed' ? 'claim next ready issue' : recoveryOf(state).nextStep,
    ...(commands.length > 0 && { commands }),
    ...(turn && { turn }),
    others: outcome.failureClasses.length > 0 ? { failureClasses: outcome.failureClasses } : {},
  }
}

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

/** Our policies carry no epoch: the digest of the policy in force stands in its place. */
const lanePolicyRef = ({ policy, sha256 }: Harness, { workerId, issueId, attempt }: StepJournal) =>
  policyRef(
    {
      mode: policy.mutationMode,
      reason: '',
      activeEpoch: policy.mutationPolicyDigest,
      supportUntil: null,
      workerId,
      issueId,
      stepIndex: attempt,
    },
    sha256,
  )

export function lineageOf(harness: Harness, issueId: string): readonly string[] {
  const { workerId, worktree, issuesPath, policy, sha256 } = harness
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

async function writeLedger(harness: Harness, journal: StepJournal, row: StepRow): Promise<void> {
  const done = row.resultClass === 'completed'
  const status = done
    ? 'completed'
    : row.resultClass.startsWith('retry_needed')
      ? 'pending'
      : 'blocked'
  await harness.ledger.update(before =>
    writeFeature(
      before,
      {
        featureId: journal.issueId,
        status,
        issueId: journal.issueId,
        // A failed try proves nothing: what it left must not count for a later one.
        verificationRefs: done ? row.witnessRefs.filter(isProof) : [],
        sessionRef: fromRoot(harness, harness.session.path),
      },
      harness.clock.now(),
    ),
  )
}

/** What was seen to be done, and how the lease ended. */
const isProof = (ref: string) => /^(witness|lease):/.test(ref)

async function writeHandoff(
  { session, issuesPath, clock }: Harness,
  { issueId }: StepJournal,
  { witnessRefs, lineageRefs, nextStep, resultClass }: StepRow,
  summary: string,
): Promise<void> {
  const write = {
    state: 'stopped',
    issueId,
    summary: `${resultClass}: ${summary}`,
    nextStep,
    witnessRefs,
    lineageRefs,
    issuesPath,
    issuesSnapshotRef: undefined,
  } as const
  await session.update(before => writeSession(before, write, clock.now()))
}
