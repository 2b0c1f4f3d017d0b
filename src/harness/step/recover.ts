/** Finishes or undoes the steps that a crash interrupted, and reports each. */
import { secondOf } from '../../kernel/harness/artifact.ts'
import { allHeldBy } from '../../kernel/harness/next-target.ts'
import { isGateClass } from '../../kernel/harness/retry/gate-class.ts'
import { interruptedClass } from '../../kernel/harness/step/step-decision.ts'
import { isStepJournal, stepAfterClaim } from '../../kernel/harness/step/step-journal.ts'
import { fenceOf } from '../../kernel/issues/issue.ts'
import { type IssueRefusal, refuse } from '../../kernel/issues/issue-refusal.ts'
import { landingOf } from '../../kernel/issues/landing/landing-state.ts'
import { laterOf } from '../../kernel/timestamp.ts'
import type { ClaimJournal, StepJournal, StepOutcome } from '../../wire/harness/step-journal.ts'
import type { Recovery } from '../../wire/run/run-event.ts'
import { shown } from '../../world/system-error.ts'
import type { ChangeAuthority, Harness } from '../harness.ts'
import { settleLandings, type Unlanded } from '../landing/land-issue.ts'
import { removeLeftCheckouts } from '../landing/left-checkouts.ts'
import { firstAttempt } from './claim-work.ts'
import { commitStep } from './commit-step.ts'
import { groupOf, JournalFile } from './journal-file.ts'
import { takeRequests } from './mailbox.ts'
import { changedSince } from './relocation.ts'
import { replacedPolicy } from './step-authority.ts'
import { isDone } from './step-change.ts'

export interface Recovered {
  readonly stepId: string
  readonly issueId: string
  /**
   * `finished`: the journal held an outcome, which was applied.
   * `undone`: the step was interrupted during its work, or its proof is stale.
   * `lost`: another worker holds the lease.
   * `waiting`: the caller may not make the change.
   */
  readonly how: Recovery
  readonly resultClass: string
}

/** The caller holds its own worker's lock. A journal whose worker's lock is free is abandoned. */
export async function recoverSteps(harness: Harness): Promise<RecoveredSteps> {
  for (const { diagnostic, remedy } of await settleLandings(harness, harness.authority())) {
    harness.emit({ event: 'note', message: `${diagnostic}. ${remedy}` })
  }
  const own = await recoverStep(harness, harness.workerId)
  const others: Recovered[] = []
  for (const path of await harness.journals()) {
    const found = await recoverOther(harness, path)
    if (found) others.push(found)
  }
  await removeLeftCheckouts(harness)
  return { own, others }
}

interface RecoveredSteps {
  /** The step of the calling worker. */
  readonly own: Recovered | undefined
  readonly others: readonly Recovered[]
}

/** Finds the lock by the file name, because the content may be read only under the lock. */
async function recoverOther(harness: Harness, path: string): Promise<Recovered | undefined> {
  if (path === new JournalFile(harness, harness.workerId).path) return undefined
  const lock = await harness.disk.lock(path.replace(/\.jsonl$/, '.lock'), 0)
  if (!lock.held) return undefined
  try {
    const file = JournalFile.at(harness, path)
    const journal = await file.read()
    if (journal === undefined) return undefined
    const { workerId } = journal
    // The lock is that of the file's worker. The named one may be at work.
    if (path !== new JournalFile(harness, workerId).path) {
      await file.refuse(journal, `names the worker ${workerId} instead of its own`)
      return undefined
    }
    return await recoverStep(harness, workerId)
  } finally {
    await lock.release()
  }
}

async function recoverStep(finder: Harness, workerId: string): Promise<Recovered | undefined> {
  const file = new JournalFile(finder, workerId)
  const found = await file.read()
  if (!found) return undefined
  const documents = await finder.documentsAt(found.sessionPath, found.ledgerPath)
  if ('refusedPath' in documents) {
    const { refusedPath, why } = documents
    await file.refuse(found, `names ${shown(refusedPath)}, ${why},`)
    return undefined
  }
  const group = groupOf(found)
  if (group) await finder.processes.endGroup(group)
  const journal = isStepJournal(found) ? found : await claimedStep(finder, found)
  if (!journal) {
    await file.remove()
    return undefined
  }
  // The result goes to the session and ledger of the interrupted step.
  const harness = { ...finder, workerId, ...documents }
  const recovered = await finish(harness, journal)
  harness.emit({ event: 'recovered', ...recovered })
  return recovered
}

/**
 * The worker was about to claim. A lease that it holds now and did not hold before is from this
 * claim.
 */
async function claimedStep(
  finder: Harness,
  journal: ClaimJournal,
): Promise<StepJournal | undefined> {
  const { store, clock } = finder
  const { workerId, held } = journal
  const wasHeld = new Set(held.map(({ issueId, fence }) => `${issueId} ${fence}`))
  const got = allHeldBy(await store.read(), workerId, clock.now()).find(
    issue => !wasHeld.has(`${issue.id} ${fenceOf(issue)}`),
  )
  if (!got?.lease) return undefined
  const issue = { issueId: got.id, fence: fenceOf(got) }
  const attempt = await firstAttempt({ ...finder, workerId }, { issue: got, fence: issue.fence })
  return stepAfterClaim(journal, issue, { leaseId: got.lease.lease_id, attempt })
}

async function finish(harness: Harness, found: StepJournal): Promise<Recovered> {
  const { stepId, issueId, outcome } = found
  const { journal } = await takeRequests(harness, found)
  const passage = harness.changeAuthority()
  const stale = outcome && (await staleness(harness, passage, journal, outcome))
  const decided = outcome
    ? stale
      ? unverified(outcome, stale)
      : withoutRetry(outcome)
    : interrupted(harness, journal)
  // Remove a proof that an interrupted close wrote partly. The close below writes it again.
  if (outcome?.change === 'close') await harness.store.tidyProofs(issueId)
  const applied = await commitStep(harness, journal, decided, { again: true, passage })
  const { unlanded } = applied
  const committed =
    unlanded && outcome
      ? await commitStep(harness, journal, unverified(outcome, notLanded(unlanded)), {
          again: true,
          passage,
        })
      : applied
  const { resultClass, isOpen, isRefused } = committed
  if (isOpen) return { stepId, issueId, how: 'waiting', resultClass }
  const how = isRefused ? 'lost' : outcome && !stale && !unlanded ? 'finished' : 'undone'
  return { stepId, issueId, how, resultClass }
}

/**
 * The journal records files, issue and policy at that time. They matter only if the issue is still
 * open.
 */
async function staleness(
  harness: Harness,
  passage: ChangeAuthority,
  journal: StepJournal,
  outcome: StepOutcome,
): Promise<IssueRefusal | undefined> {
  if (outcome.change !== 'close' || outcome.proof === undefined) return undefined
  const { store, proofs } = harness
  const issue = (await store.read()).get(journal.issueId)
  if (issue === undefined || isDone(issue, journal, outcome)) return undefined
  // The landing was admitted then. From there on only the target decides.
  if (landingOf(issue)) return undefined
  return (
    (await changedSince(harness, passage, journal.issueId, outcome.proof.sent)) ??
    (await replacedPolicy(harness, passage, journal)) ??
    // A commit does not change, whatever is checked out now.
    (outcome.landing ? undefined : await proofs.staleness(outcome.proof))
  )
}

/** The work stays on the branch of the issue. */
const notLanded = (unlanded: Unlanded): IssueRefusal =>
  refuse(
    'close_proof_stale',
    unlanded.how === 'parked' ? unlanded.why : 'the target has moved since it was verified',
    'Verify it again.',
  )

/** Releases the issue instead of closing it. The next worker must verify it again. */
function unverified(
  { proof: _proof, landing: _landing, ...outcome }: StepOutcome,
  { failureClass, diagnostic }: IssueRefusal,
): StepOutcome {
  return {
    ...outcome,
    change: 'release',
    resultClass: `retry_needed_${failureClass}`,
    failureClasses: [failureClass],
    summary: `the step was interrupted before its issue was closed, and ${diagnostic}`,
  }
}

/**
 * The worker that would retry is gone, so the issue is released. A gate refusal stays as it is.
 */
function withoutRetry(outcome: StepOutcome): StepOutcome {
  if (!outcome.decision?.retry || outcome.failureClasses.some(isGateClass)) return outcome
  return { ...outcome, change: 'release' }
}

function interrupted({ clock }: Harness, { startedAt }: StepJournal) {
  const now = clock.now()
  const began = BigInt(Date.parse(startedAt)) * 1_000_000n
  return {
    change: 'release',
    resultClass: `retry_needed_${interruptedClass}`,
    failureClasses: [interruptedClass],
    summary: 'the step was interrupted before it had a result',
    finishedAt: secondOf(laterOf(began, now)),
    durationMs: Math.max(0, Number((now - began) / 1_000_000n)),
    commands: [],
    witnessRefs: [],
  } as const
}
