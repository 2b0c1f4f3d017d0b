/** Compares what the artifacts of a project say, and names what a person should look at. */
import type { Coherence, InstructionRow } from '../../wire/observation/surface.ts'
import { byCodePoint } from '../canonical.ts'
import type { Issue } from '../issues/issue.ts'
import { isContended, leaseStateAt } from '../issues/lease-state.ts'
import { isJsonObject, type Json } from '../json.ts'
import { instantOf, timestampOf } from '../timestamp.ts'
import type { LatestRows } from './ci-rows.ts'
import type { IssueFacts } from './issue-facts.ts'

export interface CoherenceFacts {
  readonly latest: LatestRows
  readonly instructions: readonly InstructionRow[]
  readonly issues: Pick<IssueFacts, 'partition' | 'integrity'>
  /** Held, in progress or blocked. */
  readonly attended: readonly Issue[]
  readonly at: bigint
}

export function coherenceOf(facts: CoherenceFacts): Coherence {
  const { latest, instructions, issues, attended, at } = facts
  // A superseded or settled instruction is history, and nobody can do anything about it.
  const current = instructions.filter(({ standing }) => standing === 'current')
  const policyDrift = driftOf(latest, current)
  const instructionTyping = typingOf(current)
  const proposalRejectClasses = proposalRejects(current)
  const leaseHealth = leasesOf(attended, at)
  const reasons: readonly (readonly [reason: string, holds: boolean])[] = [
    ['policy_drift', policyDrift.driftDetected],
    ['instruction_unknown_classification', instructionTyping.unknownRejectedCount > 0],
    ['proposal_reject_classes_present', proposalRejectClasses.totalRejectCount > 0],
    ['dependency_cycle_active', issues.integrity.active.hasCycle],
    ['stale_claims', leaseHealth.staleCount > 0],
    ['contended_claims', leaseHealth.contendedCount > 0],
  ]
  const attentionReasons = reasons.filter(([, holds]) => holds).map(([reason]) => reason)
  return {
    attentionReasons,
    dependencyIntegrity: issues.integrity,
    instructionTyping,
    issuePartition: issues.partition,
    leaseHealth,
    needsAttention: attentionReasons.length > 0,
    policyDrift,
    proposalRejectClasses,
    workerLaneThroughput: lanesOf(attended, leaseHealth),
  }
}

function driftOf(
  { delta, required, decision }: LatestRows,
  current: readonly InstructionRow[],
): Coherence['policyDrift'] {
  const rows = [delta, required, decision].filter(row => row !== null)
  const projectionPolicies = setOf([delta?.projectionPolicy, required?.projectionPolicy])
  const projectionDigests = setOf(rows.map(row => row.projectionDigest))
  const typedCoreProjectionDigests = setOf(rows.map(row => row.typedCoreProjectionDigest))
  const instructionPolicyDigests = setOf(current.map(row => row.policyDigest))
  const classes: readonly (readonly [drift: string, holds: boolean])[] = [
    ['projection_policy_drift', projectionPolicies.length > 1],
    [
      'projection_digest_drift',
      projectionDigests.length > 1 || typedCoreProjectionDigests.length > 1,
    ],
    ['instruction_policy_drift', instructionPolicyDigests.length > 1],
  ]
  const driftClasses = classes.filter(([, holds]) => holds).map(([drift]) => drift)
  return {
    aliasProjectionDigests: projectionDigests,
    driftClasses,
    driftDetected: driftClasses.length > 0,
    instructionPolicyDigests,
    missingInstructionPolicyIds: current
      .filter(row => row.policyDigest === null)
      .map(row => row.instructionId),
    projectionDigests,
    projectionPolicies,
    typedCoreProjectionDigests,
  }
}

const setOf = (texts: readonly (string | null | undefined)[]) =>
  [...new Set(texts.filter(text => typeof text === 'string'))].toSorted(byCodePoint)

function typingOf(current: readonly InstructionRow[]): Coherence['instructionTyping'] {
  const unknown = current.filter(row => stateOf(row) === 'unknown')
  const instructionCount = current.length
  const rate = instructionCount === 0 ? 0 : unknown.length / instructionCount
  return {
    instructionCount,
    typedCount: current.filter(row => stateOf(row) === 'typed').length,
    unknownCount: unknown.length,
    unknownInstructionIds: unknown.map(row => row.instructionId),
    unknownRate: Number(rate.toFixed(6)),
    unknownRatePercent: Number((rate * 100).toFixed(2)),
    unknownRejectedCount: unknown.filter(row => row.verdictClass === 'rejected').length,
  }
}

function stateOf({ instructionClassification: given }: InstructionRow): Json | undefined {
  const classification = given as Json
  return isJsonObject(classification) ? classification['state'] : undefined
}

const topClassesMax = 5

function proposalRejects(current: readonly InstructionRow[]): Coherence['proposalRejectClasses'] {
  const counts = new Map<string, number>()
  const instructionIds: string[] = []
  for (const { verdictClass, failureClasses, instructionId } of current) {
    const classes = failureClasses.filter(name => name.startsWith('proposal_'))
    if (verdictClass !== 'rejected' || classes.length === 0) continue
    instructionIds.push(instructionId)
    for (const name of classes) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const sorted = [...counts].toSorted(([a], [b]) => byCodePoint(a, b))
  return {
    classCounts: Object.fromEntries(sorted),
    instructionIds,
    topClasses: sorted
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, topClassesMax)
      .map(([name]) => name),
    totalRejectCount: instructionIds.length,
  }
}

function leasesOf(attended: readonly Issue[], at: bigint): Coherence['leaseHealth'] {
  const leased = attended.filter(({ lease }) => lease !== undefined)
  const idsOf = (isIt: (issue: Issue) => boolean) => leased.filter(isIt).map(({ id }) => id)
  const unknown = idsOf(({ lease }) => instantOf(lease?.expires_at ?? '') === undefined)
  const stale = idsOf(({ lease }) => leaseStateAt(lease, at) === 'stale')
  const contended = idsOf(issue => isContended(issue, at))
  return {
    activeLeaseCount: leased.length - stale.length,
    contendedCount: contended.length,
    contendedIssueIds: contended,
    leaseIssueCount: leased.length,
    referenceTime: timestampOf(at),
    staleCount: stale.length,
    staleIssueIds: stale,
    unknownEvaluationCount: unknown.length,
    unknownEvaluationIssueIds: unknown,
  }
}

function lanesOf(
  attended: readonly Issue[],
  health: Coherence['leaseHealth'],
): Coherence['workerLaneThroughput'] {
  const inProgress = attended.filter(({ status }) => status === 'in_progress')
  const perWorker = new Map<string, number>()
  for (const { assignee } of inProgress) {
    if (assignee !== '') perWorker.set(assignee, (perWorker.get(assignee) ?? 0) + 1)
  }
  const stale = new Set(health.staleIssueIds)
  return {
    activeLeaseCount: health.activeLeaseCount,
    activeLeaseIssueIds: attended
      .filter(({ id, lease }) => lease !== undefined && !stale.has(id))
      .map(({ id }) => id),
    inProgressCount: inProgress.length,
    perWorkerInProgress: [...perWorker]
      .toSorted(([a], [b]) => byCodePoint(a, b))
      .map(([worker, inProgressCount]) => ({ worker, inProgressCount })),
    referenceTime: health.referenceTime,
    staleLeaseCount: health.staleCount,
    staleLeaseIssueIds: health.staleIssueIds,
    unassignedInProgressCount: inProgress.filter(({ assignee }) => assignee === '').length,
    unknownLeaseEvaluationCount: health.unknownEvaluationCount,
    unknownLeaseEvaluationIssueIds: health.unknownEvaluationIssueIds,
    workerCount: perWorker.size,
  }
}
