/** What becomes of the issue of a step, and what that came to. Looks first whether it is done. */
import { escalationChange } from '../kernel/harness/escalation.ts'
import type { StepJournal, StepOutcome } from '../kernel/harness/step-journal.ts'
import { fenceOf, type Issue } from '../kernel/work/issue.ts'
import type { IssueChange } from '../kernel/work/issue-change.ts'
import { type IssueRefusal, isRefusal } from '../kernel/work/issue-refusal.ts'
import type { LeaseProof } from '../kernel/work/lease.ts'
import type { Harness } from './harness.ts'
import { stepAuthority } from './step-authority.ts'

export interface Applied {
  /** The outcome as it came to be. */
  readonly outcome: StepOutcome
  /** Made by an escalation, now and not before. */
  readonly createdIssueId?: string | undefined
  /** Nobody who may was there to make the change: it is still to be made. */
  readonly isOpen?: boolean
  readonly isRefused?: boolean
}

export async function applyChange(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
): Promise<Applied> {
  const before = (await harness.store.read()).get(journal.issueId)
  if (!before) {
    const gone = failedAs(outcome, 'failed_issue_missing', 'the issue is gone')
    return { outcome: gone, isRefused: true }
  }
  if (isDone(before, journal, outcome)) return { outcome }
  const made = await makeChange(harness, journal, outcome)
  if (made === undefined) return { outcome }
  if (isRefusal(made)) return refused(made, outcome)
  const after = (await harness.store.read()).get(journal.issueId)
  if (outcome.change === 'close' && (after?.status !== 'closed' || after.lease)) {
    return { outcome: failedAs(outcome, 'failed_lease_invariant', 'the issue is not closed') }
  }
  if (outcome.change !== 'discover') return { outcome }
  await release(harness, journal)
  return { outcome, createdIssueId: made.rows.length > 0 ? made.issue?.id : undefined }
}

/** What failed before stays: a refusal comes on top of it. */
function refused({ failureClass, diagnostic }: IssueRefusal, outcome: StepOutcome): Applied {
  return {
    outcome: failedAs(outcome, failureClass, `the change was refused: ${diagnostic}`),
    isOpen: failureClass === 'mutation_not_granted',
    isRefused: true,
  }
}

function failedAs(outcome: StepOutcome, name: string, why: string): StepOutcome {
  const { resultClass, failureClasses, summary } = outcome
  return {
    ...outcome,
    resultClass: failureClasses.length > 0 ? resultClass : name,
    failureClasses: [...failureClasses, name],
    summary: `${summary}; ${why}`,
  }
}

/** A crash came after the change and before the rest was told. */
function isDone(issue: Issue, { fence }: StepJournal, { change }: StepOutcome): boolean {
  if (change === 'keep') return true
  if (fenceOf(issue) !== fence || issue.lease) return false
  if (change === 'close') return issue.status === 'closed'
  if (change === 'block') return issue.status === 'blocked'
  return change === 'release' && issue.status === 'open'
}

async function makeChange(harness: Harness, journal: StepJournal, outcome: StepOutcome) {
  const { store } = harness
  const { workerId, leaseId, fence } = journal
  const authority = await stepAuthority(harness, journal, outcome)
  const change = changeFor(journal, outcome, { assignee: workerId, leaseId, fence })
  if (!change) return undefined
  const made = await store.mutate(authority, change)
  if (!isRefusal(made) || made.failureClass !== 'lease_stale') return made
  const regained = await regain(harness, journal)
  const again = regained && changeFor(journal, outcome, regained)
  return again ? await store.mutate(authority, again) : made
}

/**
 * A lease that ran out and that nobody took over since: the fence says so. Whoever held it may have
 * it again, and what was done under it still counts.
 */
async function regain(
  { store, authority }: Harness,
  { workerId, issueId, fence }: StepJournal,
): Promise<LeaseProof | undefined> {
  const issue = (await store.read()).get(issueId)
  if (!issue || fenceOf(issue) !== fence || issue.lease?.owner !== workerId) return undefined
  const claim = { assignee: workerId }
  const claimed = await store.mutate(authority(), { action: 'issue.claim', id: issueId, claim })
  if (isRefusal(claimed) || !claimed.issue?.lease) return undefined
  const { lease } = claimed.issue
  return { assignee: workerId, leaseId: lease.lease_id, fence: fenceOf(claimed.issue) }
}

function changeFor(
  { issueId, stepId }: StepJournal,
  { change, decision, witnessRefs, verifyCommand }: StepOutcome,
  proof: LeaseProof,
): IssueChange | undefined {
  if (change === 'close') {
    return { action: 'issue.update', id: issueId, proof, fields: { status: 'closed' } }
  }
  if (change === 'release') return { action: 'issue.lease_release', id: issueId, proof }
  if (!decision) return undefined
  const witnessRef = witnessRefs[0] ?? stepId
  return escalationChange(
    { scope: 'harness.step', decision, witnessRef, verifyCommand },
    issueId,
    proof,
  )
}

async function release(
  { store, authority }: Harness,
  { workerId, issueId, leaseId, fence }: StepJournal,
): Promise<void> {
  const proof = { assignee: workerId, leaseId, fence }
  await store.mutate(authority(), { action: 'issue.lease_release', id: issueId, proof })
}
