/** One bounded piece of work for this worker: what it holds, else the best of what is offered. */
import { heldBy } from '../kernel/harness/next-target.ts'
import { stepIdOf } from '../kernel/harness/step-id.ts'
import { fenceOf, type Issue } from '../kernel/work/issue.ts'
import type { IssueChange } from '../kernel/work/issue-change.ts'
import { type IssueRefusal, isRefusal } from '../kernel/work/issue-refusal.ts'
import type { Harness } from './harness.ts'
import { StepFolder } from './step-folder.ts'

export interface ClaimOptions {
  /** The one to take; the next when absent. */
  readonly issueId?: string | undefined
  readonly leaseTtlSeconds: number
}

export interface ClaimedWork {
  readonly issue: Issue
  readonly leaseId: string
  readonly fence: number
  /** Of the first try under this fence that was not told of yet. */
  readonly attempt: number
}

/** `undefined` where there is nothing to do. */
export async function claimWork(
  harness: Harness,
  options: ClaimOptions,
): Promise<ClaimedWork | IssueRefusal | undefined> {
  const change = changeOf(harness, await heldId(harness, options), options)
  const claimed = await harness.store.mutate(harness.authority(), change)
  if (isRefusal(claimed)) return claimed
  const { issue, alreadyHeld } = claimed
  if (!issue?.lease) return undefined
  const work = { issue, leaseId: issue.lease.lease_id, fence: fenceOf(issue) }
  // A fence that was given out just now has seen no try yet.
  return { ...work, attempt: alreadyHeld ? await nextAttempt(harness, work) : 1 }
}

async function heldId(harness: Harness, { issueId }: ClaimOptions): Promise<string | undefined> {
  if (issueId !== undefined) return issueId
  const { store, workerId, clock } = harness
  return heldBy(await store.read(), workerId, clock.now())?.id
}

function changeOf(
  { workerId }: Harness,
  id: string | undefined,
  { leaseTtlSeconds }: ClaimOptions,
): IssueChange {
  const claim = { assignee: workerId, ttlSeconds: leaseTtlSeconds }
  return id === undefined
    ? { action: 'issue.claim_next', claim }
    : { action: 'issue.claim', id, claim }
}

/** One that neither was told of nor left anything: a name is never given out twice. */
async function nextAttempt(
  harness: Harness,
  { issue, fence }: { readonly issue: Issue; readonly fence: number },
): Promise<number> {
  const { trajectory, disk, workerId } = harness
  for (let attempt = 1; ; attempt++) {
    const stepId = stepIdOf(workerId, issue.id, fence, attempt)
    const left = await disk.stamp(new StepFolder(harness, stepId).path)
    if (!left && !(await trajectory.has(stepId))) return attempt
  }
}
