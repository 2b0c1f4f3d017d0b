/** Claims one issue for this worker: the one it holds, otherwise the best one offered. */
import { allHeldBy, allLeasedTo } from '../../kernel/harness/next-target.ts'
import { namesakes, stepIdOf } from '../../kernel/harness/step/step-id.ts'
import { fenceOf, type Issue } from '../../kernel/issues/issue.ts'
import type { IssueChange } from '../../kernel/issues/issue-change.ts'
import type { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { type IssueRefusal, isRefusal } from '../../kernel/issues/issue-refusal.ts'
import { isLanding } from '../../kernel/issues/landing/landing-state.ts'
import { timestampOf } from '../../kernel/timestamp.ts'
import type { ClaimJournal } from '../../wire/harness/step-journal.ts'
import type { Harness } from '../harness.ts'
import { JournalFile } from './journal-file.ts'
import { LastAttempts } from './last-attempts.ts'
import { StepFolder } from './step-folder.ts'

export interface ClaimOptions {
  /** The issue to claim. Defaults to the next one. */
  readonly issueId?: string | undefined
  /** Issues to skip, including those this worker holds. */
  readonly except?: ReadonlySet<string> | undefined
  readonly leaseTtlSeconds: number
}

export interface ClaimedWork {
  readonly issue: Issue
  readonly leaseId: string
  readonly fence: number
  /** The first attempt under this fence that the trajectory does not have. */
  readonly attempt: number
  /** The previous owner, if its lease expired. */
  readonly takenOverFrom: string | undefined
}

type Fenced = Pick<ClaimedWork, 'issue' | 'fence'>

/** Returns `undefined` if no issue can be claimed. */
export async function claimWork(
  harness: Harness,
  options: ClaimOptions,
): Promise<ClaimedWork | IssueRefusal | undefined> {
  const { workerId, clock } = harness
  const memory = await harness.store.read()
  const held = allHeldBy(memory, workerId, clock.now())
  const journal = new JournalFile(harness, workerId)
  // After this line, a recovery attributes a new lease of this worker to this step.
  await journal.write(beforeClaim(harness, memory))
  const claimed = await claim(harness, held, options)
  if (!claimed || isRefusal(claimed)) await journal.remove()
  return claimed
}

/**
 * The journal entry of a worker that has not claimed an issue yet. It lists expired leases too: if
 * the clock is set back, one is active again and must not look like a new one.
 */
export function beforeClaim(
  { workerId, clock, session, ledger }: Harness,
  memory: IssueMemory,
): ClaimJournal {
  return {
    workerId,
    held: allLeasedTo(memory, workerId).map(issue => ({
      issueId: issue.id,
      fence: fenceOf(issue),
    })),
    startedAt: timestampOf(clock.now()),
    sessionPath: session.path,
    ledgerPath: ledger.path,
  }
}

async function claim(
  harness: Harness,
  held: readonly Issue[],
  options: ClaimOptions,
): Promise<ClaimedWork | IssueRefusal | undefined> {
  const goOn = held.find(one => !options.except?.has(one.id) && !isLanding(one))
  const change = changeOf(harness, options.issueId ?? goOn?.id, options)
  const claimed = await harness.store.mutate(harness.authority(), change)
  if (isRefusal(claimed)) return claimed
  const { issue, alreadyHeld, previous } = claimed
  if (!issue?.lease) return undefined
  const work = { issue, leaseId: issue.lease.lease_id, fence: fenceOf(issue) }
  const takenOverFrom = previous?.owner
  const attempt = await (alreadyHeld ? nextAttempt(harness, work) : firstAttempt(harness, work))
  return { ...work, takenOverFrom, attempt }
}

/** A new fence has no attempts of its own. */
export const firstAttempt = (harness: Harness, work: Fenced): Promise<number> =>
  attemptAfter(harness, work, 0)

/** Another worker at another issue may begin attempts with the same ids meanwhile. */
export async function attemptAfter(harness: Harness, work: Fenced, last: number): Promise<number> {
  const { workerId } = harness
  const isShared = namesakes({ workerId, issueId: work.issue.id }).length > 1
  return isShared ? Math.max(last + 1, await nextAttempt(harness, work)) : last + 1
}

function changeOf(
  { workerId }: Harness,
  id: string | undefined,
  { leaseTtlSeconds, except }: ClaimOptions,
): IssueChange {
  const claim = { assignee: workerId, ttlSeconds: leaseTtlSeconds }
  return id === undefined
    ? { action: 'issue.claim_next', claim: { ...claim, except } }
    : { action: 'issue.claim', id, claim }
}

/**
 * The first attempt that was not begun, and has neither a trajectory row nor a folder, because step ids
 * are never reused.
 */
async function nextAttempt(harness: Harness, { issue, fence }: Fenced): Promise<number> {
  const { trajectory, disk, workerId } = harness
  let begun = 0
  for (const same of namesakes({ workerId, issueId: issue.id })) {
    const attempts = await LastAttempts.read({ ...harness, workerId: same.workerId })
    begun = Math.max(begun, attempts?.of({ issueId: same.issueId, fence }) ?? 0)
  }
  for (let attempt = begun + 1; ; attempt++) {
    const stepId = stepIdOf(workerId, issue.id, fence, attempt)
    const left = await disk.stamp(new StepFolder(harness, stepId).path)
    if (!left && !(await trajectory.get(stepId))) return attempt
  }
}
