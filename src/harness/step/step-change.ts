/** Changes the issue of a step, unless the change is already done. */

import { AgentGrant } from '../../kernel/authority/agent-grant.ts'
import { escalatedOnce, escalationChange } from '../../kernel/harness/retry/escalation.ts'
import { reviewClass } from '../../kernel/harness/step/step-decision.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import type { IssueChange, IssueChanged } from '../../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { type IssueRefusal, isRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import type { LeaseProof } from '../../kernel/issues/lease.ts'
import type { CloseProof } from '../../kernel/proof/close-proof.ts'
import type { StepJournal, StepOutcome } from '../../wire/harness/step-journal.ts'
import type { ChangeAuthority, Harness } from '../harness.ts'
import { landIssue, type Unlanded } from '../landing/land-issue.ts'
import { JournalFile } from './journal-file.ts'
import { changedSince, checkAgain, missingEvidence } from './relocation.ts'
import { stepAuthority } from './step-authority.ts'

interface Applied {
  /** The outcome after the change, with a refusal added if there was one. */
  readonly outcome: StepOutcome
  /** The issue that an escalation created just now. */
  readonly createdIssueId?: string | undefined
  /** True if the change waits for a caller with authority. */
  readonly isOpen?: boolean
  readonly isRefused?: boolean
  /** The remedy of the store's refusal. */
  readonly remedy?: string
  /** The issue as the store acknowledged its close. */
  readonly closed?: Issue | undefined
  /** Why the commit did not land. The issue is as before. */
  readonly unlanded?: Unlanded
}

export async function applyChange(
  harness: Harness,
  journal: StepJournal,
  decided: StepOutcome,
  passage: ChangeAuthority,
): Promise<Applied> {
  const memory = await harness.store.read()
  const outcome = escalatingOnce(decided, journal, memory)
  const before = memory.get(journal.issueId)
  if (!before) {
    const gone = failedAs(outcome, 'failed_issue_missing', 'the issue does not exist any more')
    return { outcome: gone, isRefused: true }
  }
  if (isDone(before, journal, outcome)) return { outcome }
  const { made, held } = await makeChange(harness, journal, outcome, passage)
  if (made === undefined) return { outcome }
  if ('how' in made) return { outcome, unlanded: made }
  if (isRefusal(made)) {
    const withheld = stoppedEscalation(harness, made, outcome)
    if (withheld === undefined) return refused(made, outcome)
    // The agent stops instead. A release needs no authority and frees the issue for others.
    await new JournalFile(harness, journal.workerId).write({ ...held, outcome: withheld })
    await release(harness, held)
    return { outcome: withheld }
  }
  const after = (await harness.store.read()).get(journal.issueId)
  if (outcome.change === 'close' && (after?.status !== 'closed' || after.lease)) {
    return { outcome: failedAs(outcome, 'failed_lease_invariant', 'the issue is not closed') }
  }
  if (outcome.change === 'review') await release(harness, held)
  if (outcome.change === 'close') return { outcome, closed: made.issue }
  if (outcome.change !== 'discover') return { outcome }
  await release(harness, held)
  return { outcome, createdIssueId: made.rows.length > 0 ? made.issue?.id : undefined }
}

/** The journal has the outcome as it was decided. A recovery comes to the same result here. */
function escalatingOnce(
  outcome: StepOutcome,
  { issueId }: StepJournal,
  memory: IssueMemory,
): StepOutcome {
  if (outcome.change !== 'discover' || !outcome.decision) return outcome
  const decision = escalatedOnce(outcome.decision, issueId, memory)
  return decision === outcome.decision ? outcome : { ...outcome, decision, change: 'block' }
}

/** An agent may not escalate beyond its instruction. It stops and reports the refusal. */
function stoppedEscalation(
  harness: Harness,
  { failureClass, diagnostic }: IssueRefusal,
  outcome: StepOutcome,
): StepOutcome | undefined {
  const { change, decision } = outcome
  const isEscalation = change === 'discover' || change === 'block'
  const isOfLease = failureClass.startsWith('lease_')
  if (!isEscalation || isOfLease || !decision || !AgentGrant.isIssued(harness.authority())) {
    return undefined
  }
  const why = `the escalation ${decision.escalationAction} was refused, so the step only stops: ${diagnostic}`
  const notAllowed = refuse('escalation_not_allowed', why, 'A person must decide how to continue.')
  const stopping = { ...decision, escalationAction: 'stop' } as const
  return {
    ...failedAs(outcome, notAllowed.failureClass, notAllowed.diagnostic),
    change: 'release',
    decision: stopping,
  }
}

/** Earlier failures stay; the refusal is added. */
function refused(
  { failureClass, diagnostic, remedy }: IssueRefusal,
  outcome: StepOutcome,
): Applied {
  return {
    outcome: failedAs(outcome, failureClass, `the change was refused: ${diagnostic}`),
    isOpen: failureClass === 'mutation_not_granted',
    isRefused: true,
    remedy,
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

/** True if a crash came after the change. */
export function isDone(issue: Issue, { fence }: StepJournal, { change }: StepOutcome): boolean {
  if (change === 'keep') return true
  if (fenceOf(issue) !== fence || issue.lease) return false
  if (change === 'close') return issue.status === 'closed'
  if (change === 'block') return issue.status === 'blocked'
  if (change === 'review') return issue.status === reviewClass
  return change === 'release' && issue.status === 'open'
}

interface Made {
  readonly made: IssueChanged | IssueRefusal | Unlanded | undefined
  /** The journal with the current lease. */
  readonly held: StepJournal
}

async function makeChange(
  harness: Harness,
  journal: StepJournal,
  outcome: StepOutcome,
  passage: ChangeAuthority,
): Promise<Made> {
  const authority = await stepAuthority(harness, passage, journal, outcome)
  const lost = await missingEvidence(harness, outcome.witnessRefs)
  if (outcome.proof && lost !== undefined) return { held: journal, made: missingRef(journal, lost) }
  const done = outcome.proof && (await harness.proofs.reopen(journal.issueId, outcome.proof))
  if (done && isRefusal(done)) return { held: journal, made: done }
  const make = async (held: StepJournal) => {
    const changed = await changedSince(harness, passage, journal.issueId, outcome.proof?.sent)
    if (changed) return { held, made: changed }
    const { landing, joinWitness: turn } = outcome
    if (landing && done) {
      const asked = { journal: held, landing, done, turn, authority }
      return { held, made: await landIssue(harness, asked) }
    }
    const change = changeFor(held, outcome, done)
    return { held, made: change && (await harness.store.mutate(authority, change)) }
  }
  const first = await make(journal)
  if (!first.made || 'how' in first.made || !isRefusal(first.made)) return first
  if (!mayHaveRunOut(first.made)) return first
  const regained = await regain(harness, journal)
  if (!regained) return first
  // A recovery after a crash needs the fence of this change.
  await new JournalFile(harness, journal.workerId).write({ ...regained, outcome })
  return await make(regained)
}

const missingRef = ({ issueId, workerId }: StepJournal, ref: string): IssueRefusal =>
  refuse(
    'close_proof_missing',
    `the evidence from the other location for ${issueId} is missing or was changed: ${ref}`,
    checkAgain(issueId, workerId),
  )

/** A claim of the same worker also makes the fence stale, so `regain` decides. */
const mayHaveRunOut = ({ failureClass }: IssueRefusal) =>
  failureClass === 'lease_stale' || failureClass === 'lease_fence_stale'

/**
 * Claims an expired lease again if its fence shows that no other worker took it. Work done under
 * the old lease still counts.
 */
async function regain(
  { store, authority }: Harness,
  journal: StepJournal,
): Promise<StepJournal | undefined> {
  const { workerId, issueId, fence } = journal
  const issue = (await store.read()).get(issueId)
  if (issue?.lease?.owner !== workerId) return undefined
  // A worker with a journal claims nothing else, so the next fence can only be from an earlier
  // regain.
  const isOwn = fenceOf(issue) === fence || fenceOf(issue) === fence + 1
  if (!isOwn) return undefined
  const claim = { assignee: workerId }
  const claimed = await store.mutate(authority(), { action: 'issue.claim', id: issueId, claim })
  if (isRefusal(claimed) || !claimed.issue?.lease) return undefined
  return { ...journal, leaseId: claimed.issue.lease.lease_id, fence: fenceOf(claimed.issue) }
}

const proofOf = ({ workerId, leaseId, fence }: StepJournal): LeaseProof => ({
  assignee: workerId,
  leaseId,
  fence,
})

function changeFor(
  journal: StepJournal,
  { change, decision, witnessRefs, joinWitness: turn, verifyCommand }: StepOutcome,
  done: CloseProof | undefined,
): IssueChange | undefined {
  const { issueId, stepId } = journal
  const proof = proofOf(journal)
  if (change === 'close') {
    const fields = { status: 'closed' }
    return { action: 'issue.update', id: issueId, proof, fields, done, turn }
  }
  if (change === 'review') {
    const fields = { status: reviewClass, assignee: '' }
    return { action: 'issue.update', id: issueId, proof, fields }
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

async function release({ store, authority }: Harness, journal: StepJournal): Promise<void> {
  const change = { action: 'issue.lease_release', id: journal.issueId } as const
  await store.mutate(authority(), { ...change, proof: proofOf(journal) })
}
