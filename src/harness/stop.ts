/**
 * The `stop` hook: writes the handoff session and releases or renews the lease (HARNESS-RUNTIME
 * §3.3).
 */
import { secondOf } from '../kernel/harness/artifact.ts'
import { recommendedActions } from '../kernel/harness/handoff-check.ts'
import { handoffState, leaseRef, nextStepIn, recoveryOf } from '../kernel/harness/lease-handoff.ts'
import { heldBy } from '../kernel/harness/next-target.ts'
import { writeSession } from '../kernel/harness/session.ts'
import { stopAction } from '../kernel/harness/step/step-row.ts'
import { fenceOf, type Issue } from '../kernel/issues/issue.ts'
import type { IssueChange } from '../kernel/issues/issue-change.ts'
import { type IssueRefusal, isRefusal } from '../kernel/issues/issue-refusal.ts'
import type { Session } from '../wire/harness/session.ts'
import type { StepRow } from '../wire/harness/step-row.ts'
import { fromRoot, type Harness } from './harness.ts'
import { longOutputRefs, offloadHandoff } from './offload-handoff.ts'
import { instructionRefsOf, lineageOf } from './step/commit-step.ts'
import { type Recovered, recoverSteps } from './step/recover.ts'

interface StopOptions {
  /** Renew the lease for another term instead of releasing it. */
  readonly keepLease: boolean
  readonly leaseTtlSeconds: number
  readonly summary?: string | undefined
  readonly nextStep?: string | undefined
  /** Compacts issue memory; `undefined` if the caller may not. */
  compact(): Promise<CompactedMemory | undefined>
}

/** Bytes of the file of rows. */
export interface CompactedMemory {
  readonly before: number
  readonly after: number
}

interface StopReport {
  readonly session: Session
  readonly row: StepRow
  readonly leaseState: string
  readonly recommendedAction: string
  readonly recovered: Recovered | undefined
  readonly compacted: CompactedMemory | undefined
  /** The file with a handoff that was too long. */
  readonly offloadedRef: string | undefined
  /** Set if the store refused to renew or release the lease. */
  readonly refusal?: IssueRefusal
}

export async function stopHarness(harness: Harness, options: StopOptions): Promise<StopReport> {
  const { store, workerId, clock } = harness
  const { own: recovered } = await recoverSteps(harness)
  const before = await harness.session.read()
  const held = heldBy(await store.read(), workerId, clock.now())
  await harness.trajectory.checkWritable()
  const settled =
    held && (await store.mutate(harness.authority(), leaseChange(held, workerId, options)))
  const compacted = await options.compact()
  const memory = await store.read()
  const issueId = held?.id ?? before?.issueId
  const issue = issueId === undefined ? undefined : memory.get(issueId)
  const leaseState = issueId === undefined ? 'unleased' : handoffState(issue, clock.now())
  const recommendedAction = recommendedActions[leaseState] ?? 'stop'
  const ownNext =
    issueId === undefined ? 'claim next ready issue' : nextStepIn(leaseState, issueId, workerId)
  const whole = options.nextStep ?? ownNext
  // The summary and refs of another issue are not kept.
  const own = before?.issueId === issueId ? before : undefined
  const outputs = issueId === undefined ? [] : await longOutputRefs(harness, issueId)
  const drafted = rowOf(harness, { issueId, issue, leaseState, nextStep: whole, outputs })
  const draft = {
    state: 'stopped',
    issueId,
    summary: options.summary ?? own?.summary ?? '',
    nextStep: whole,
    witnessRefs: [
      ...(own?.witnessRefs ?? []).filter(ref => !ref.startsWith('lease://')),
      ...drafted.witnessRefs,
    ],
    lineageRefs: drafted.lineageRefs,
    instructionRefs: drafted.instructionRefs,
    issuesPath: harness.issuesPath,
    issuesSnapshotRef: memory.snapshotRef(harness.sha256),
  } as const
  const { stepId, witnessRefs: ownRefs } = drafted
  const offloaded = await offloadHandoff(harness, stepId, before, draft, ownRefs)
  const { write, ref: offloadedRef } = offloaded
  const row = offloadedRef
    ? { ...drafted, nextStep: write.nextStep, witnessRefs: [...ownRefs, offloadedRef].sort() }
    : drafted
  await harness.trajectory.append(row)
  const session = await harness.session.update(now => writeSession(now, write, clock.now()))
  const refusal = settled && isRefusal(settled) ? { refusal: settled } : {}
  const parts = { compacted, offloadedRef, ...refusal }
  return { session, row, leaseState, recommendedAction, recovered, ...parts }
}

function leaseChange(
  issue: Issue,
  workerId: string,
  { keepLease, leaseTtlSeconds }: StopOptions,
): IssueChange {
  const proof = { assignee: workerId, leaseId: issue.lease?.lease_id, fence: fenceOf(issue) }
  if (!keepLease) return { action: 'issue.lease_release', id: issue.id, proof }
  return { action: 'issue.lease_renew', id: issue.id, proof, term: { ttlSeconds: leaseTtlSeconds } }
}

interface Ending {
  readonly issueId: string | undefined
  readonly issue: Issue | undefined
  readonly leaseState: ReturnType<typeof handoffState>
  readonly nextStep: string
  /** Refs to outputs of the last attempt. */
  readonly outputs: readonly string[]
}

function rowOf(harness: Harness, ending: Ending): StepRow {
  const { issueId, issue, leaseState, nextStep, outputs } = ending
  const { workerId, clock, sha256 } = harness
  const at = clock.now()
  const ref = (id: string) =>
    leaseRef(
      {
        issueId: id,
        workerId,
        leaseId: issue?.lease?.lease_id ?? '',
        leaseOwner: issue?.lease?.owner ?? '',
        leaseState,
        leaseAction: recoveryOf(leaseState).leaseAction,
        status: issue?.status ?? '',
        assignee: issue?.assignee ?? '',
      },
      sha256,
    )
  return {
    schema: 1,
    stepKind: 'premath.harness.step.v1',
    stepId: `${workerId}.stop.${at}`,
    ...(issueId !== undefined && { issueId }),
    action: stopAction,
    resultClass: 'ok',
    instructionRefs: instructionRefsOf(harness),
    witnessRefs: issueId === undefined ? [] : [ref(issueId), ...outputs].sort(),
    lineageRefs: issueId === undefined ? [] : lineageOf(harness, issueId),
    finishedAt: secondOf(at),
    workerId,
    nextStep,
  }
}

export const stopPathsOf = (harness: Harness) => ({
  sessionRef: fromRoot(harness, harness.session.path),
  trajectoryRef: fromRoot(harness, harness.trajectory.path),
})
